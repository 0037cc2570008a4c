import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import PartnerAPI
import Testing

@testable import MirrorSync

@Suite("A plan and the sync that follows it", .serialized) struct LivePlanTests {
    @Test func theyAgreeOnTheBuiltInCatalogue() async throws {
        try await agree([.embedded(DemoCatalogue.files), .embedded(Self.changed(DemoCatalogue.files))])
    }

    @Test(.enabled(if: RealCatalogues.arePresent, "there are no catalogues beside the package"))
    func theyAgreeOnACatalogueAtThreeDates() async throws {
        let files = try TemporaryFolder()
        try await agree(
            ["cmoa-medium-v0", "cmoa-medium-v1", "cmoa-medium-v2"].map {
                try RealCatalogues.unpack($0, into: files)
            })
    }

    /// Thirty artworks, every third without a picture: all are on the pages that a plan may look at.
    @Test func aFirstPlanKnowsHowLargePicturesWillBe() async throws {
        let artworks = (10..<40).map { number in
            let image = #"{"id":"i","url":"https://example.org/\#(number).jpg","width":40,"height":30}"#
            return
                #"{"id":"\#(number)","title":"Work","artist_ids":[],"images":[\#(number % 3 == 0 ? "" : image)]}"#
        }
        let origin = try LiveMirror(), mirror = try LiveMirror()
        try await origin.importing(
            .embedded([
                "partner.json": #"{"id":"p","name":"p"}"#, "artworks.jsonl": artworks.joined(separator: "\n"),
                "artists.jsonl": "", "shows.jsonl": "", "albums.jsonl": "", "locations.jsonl": "",
            ]), as: "p")
        try await origin.serving { port in
            let plan = try await mirror.observed("p", port: port, media: true) { try await $0.plan($1) }
            let sync = try await mirror.observed("p", port: port, media: true) { try await $0.run($1) }
            let result = try #require(plan.summary.plan)
            #expect(result.files["image"] == Estimate(20, sampled: 30))
            #expect(result.requests.rounded == sync.summary.requests.sent)
            #expect(sync.summary.objects["image"]?.created == 20)
            let media = Double(sync.summary.requests.mediaBytes)
            // What the heads of the answers take is not part of a picture.
            #expect(abs(result.media.value - media) < media * 0.05, "\(result.media) \(media)")
            #expect(plan.summary.requests.sent <= 14 + 20)
        }
    }

    /// For each catalogue in turn: what is planned, item by item, is what the sync then does.
    private func agree(_ catalogues: [CatalogueSource]) async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        let name = try catalogues.first?.partner()["id"]?.idText ?? ""
        for (number, source) in catalogues.enumerated() {
            #expect(try await origin.importing(source, as: name).outcome == .complete)
            try await origin.serving { port in
                let before = try mirror.contents(name)
                let plan = try await mirror.observed(name, port: port) { try await $0.plan($1) }
                #expect(try mirror.contents(name) == before)
                let result = try #require(plan.summary.plan)
                #expect(plan.summary.requests.sent <= 14)
                let sync = try await mirror.observed(name, port: port) { try await $0.run($1) }
                #expect(sync.summary.outcome == .complete)
                let documents = sync.items.filter { $0.hasPrefix("document") }
                #expect(plan.items == sync.items.subtracting(documents), "catalogue \(number)")
                for kind in ObjectKind.allCases where kind != .document {
                    #expect(
                        plan.summary.objects[kind.rawValue] == sync.summary.objects[kind.rawValue], "\(kind)")
                }
                if documents.isEmpty {
                    #expect(result.isExact)
                    #expect(result.requests.rounded == sync.summary.requests.sent, "catalogue \(number)")
                }
            }
        }
    }

    /// The catalogue with an artwork renamed, one gone, one more in an album, and a show with a document less.
    private static func changed(_ files: [String: String]) -> [String: String] {
        var files = files
        var artworks = (files["artworks.jsonl"] ?? "").split(separator: "\n").map(String.init)
        artworks[0].replace("\"title\"", with: "\"note\": \"seen\", \"title\"", maxReplacements: 1)
        artworks.removeLast()
        files["artworks.jsonl"] = artworks.joined(separator: "\n") + "\n"
        var documents = (files["documents.jsonl"] ?? "").split(separator: "\n").map(String.init)
        documents.removeLast()
        files["documents.jsonl"] = documents.joined(separator: "\n") + "\n"
        return files
    }
}

extension LiveMirror {
    /// Runs or plans a sync without pictures, and takes down what it tells.
    func observed(
        _ name: String, port: Int, media: Bool = false,
        _ run: @Sendable (Sync, SyncMonitor) async throws -> SyncSummary
    ) async throws -> TestMirror.Observed {
        var options = SyncOptions()
        options.media = media
        let seen = SeenItems()
        let sync = try Sync(
            partner: name, folder: mirror(name), base: "http://127.0.0.1:\(port)/\(name)", options: options
        ) { base, cache in
            try InterceptableSession(
                base: base, transport: CurlTransport(), cache: cache, interceptors: .standard())
        }
        return TestMirror.Observed(summary: try await run(sync, seen.monitor), items: seen.items)
    }

    /// Names and bytes of the files in a mirror's folder.
    func contents(_ name: String) throws -> [String: Data] {
        let path = try mirror(name).path
        var files: [String: Data] = [:]
        for case let file as String in FileManager.default.enumerator(atPath: path) ?? .init()
        where !file.hasSuffix("-shm") {
            files[file] = FileManager.default.contents(atPath: "\(path)/\(file)") ?? Data()
        }
        return files
    }
}
