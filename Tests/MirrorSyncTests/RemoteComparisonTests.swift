import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("A comparison with the server", .serialized)
struct RemoteComparisonTests {
    private static func catalogue(_ artworks: [(id: String, title: String)], album: [String])
        -> CatalogueFiles
    {
        func line(_ id: String, _ title: String) -> String {
            #"{"id":"\#(id)","title":"\#(title)","artist_ids":[],"images":[]}"#
        }
        let members = album.map { "\"\($0)\"" }.joined(separator: ",")
        return .embedded([
            "partner.json": #"{"id":"p","name":"P"}"#,
            "artworks.jsonl": artworks.map { line($0.id, $0.title) }.joined(separator: "\n"),
            "albums.jsonl": #"{"id":"m","name":"M","artwork_ids":[\#(members)]}"#,
            "artists.jsonl": "", "shows.jsonl": "", "locations.jsonl": "",
        ])
    }

    @Test func aLiveServerIsComparedObjectByObjectAndNothingIsWritten() async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        let before = Self.catalogue([("a", "A"), ("b", "B"), ("c", "C")], album: ["a"])
        let after = Self.catalogue([("a", "A"), ("b", "Other"), ("d", "D")], album: ["a", "b"])
        try await origin.importing(before, as: "p")
        try await origin.serving { port in
            try await mirror.sync("p", from: "p", port: port) { $0.media = false }
            #expect(try await mirror.verify("p", from: "p", port: port).findings == [])
        }
        try await origin.importing(after, as: "p")
        try await origin.serving { port in
            let generation = try mirror.generation("p")
            let (summary, findings) = try await mirror.verify("p", from: "p", port: port)
            #expect(
                summary.outcome == .findings && summary.comparison?.isExact == true,
                "\(summary.failure ?? "")")
            #expect(summary.comparison?.requests ?? 99 <= 7)
            #expect(findings == ["changed artwork b", "gone artwork c", "new artwork d", "changed album m"])
            #expect(try mirror.generation("p") == generation)
            let (repair, _) = try await mirror.verify("p", from: "p", port: port, repair: true)
            #expect(repair.outcome == .repaired && repair.remaining.isEmpty, "\(repair.remaining)")
            #expect(try await mirror.verify("p", from: "p", port: port).findings == [])
        }
    }

    @Test func withoutValidatorsOnlyIdsAreCompared() async throws {
        let partner = FakePartner { state in
            for id in ["a", "b"] { state.artwork(id) }
        }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.artwork("a", title: "Other")
            state.remove(.artwork, "b")
            state.artwork("c")
        }
        let (summary, findings) = try await mirror.verify { $0.remote = true }
        #expect(findings == ["found new artwork c", "found gone artwork b"])
        var expected = VerifySummary.Comparison()
        (expected.objects, expected.requests) = (2, 8)
        expected.reasonForLists = "The server has no digest"
        #expect(summary.comparison == expected)
    }

    @Test func aListThatTheServerRefusesFailsTheComparison() async throws {
        let partner = FakePartner { $0.artwork("a") }
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { $0.overrides[State.listURL(.artwork)] = .text("{}", status: 403) }
        let (summary, findings) = try await mirror.verify { $0.remote = true }
        #expect(summary.outcome == .failed && summary.failure != nil && findings == [])
    }

    private typealias State = FakePartner.State
}

extension LiveMirror {
    /// Verifies `name` against the mirror called `origin` that another home serves.
    func verify(_ name: String, from origin: String, port: Int, repair: Bool = false) async throws -> (
        summary: VerifySummary, findings: [String]
    ) {
        var options = VerifyOptions(), syncOptions = SyncOptions()
        (options.remote, options.repair, syncOptions.media) = (true, repair, false)
        let sync = Sync(
            partner: name, folder: try mirror(name), base: "http://127.0.0.1:\(port)/\(origin)",
            options: syncOptions
        ) { base, cache in
            try InterceptableSession(
                base: base, transport: CurlTransport(.init(addresses: .testing)), cache: cache,
                interceptors: .standard())
        }
        let reported = Mutex<[String]>([])
        let summary = try await Verification(of: sync, options: options).run(
            VerifyMonitor { event in
                guard case .found(let finding) = event else { return }
                let text = [finding.what.rawValue, finding.kind, finding.id].compactMap(\.self)
                reported.withLock { $0.append(text.joined(separator: " ")) }
            })
        return (summary, reported.withLock { $0 })
    }

    func generation(_ name: String) throws -> Int {
        let store = try mirror(name).store()
        defer { try? store.close() }
        return try store.generation()
    }
}
