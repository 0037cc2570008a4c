import Catalogue
import Foundation
import MirrorDemo
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("A dry run and the sync after it", .serialized) struct LivePlanTests {
    /// The same is tested with a real catalogue in `RealChangesTests`.
    @Test func aDryRunPredictsTheSyncOfTheDemoCatalogue() async throws {
        let origin = try LiveMirror(), mirror = try LiveMirror()
        for files in [DemoCatalogue.files, Self.changed(DemoCatalogue.files)] {
            let name = DemoCatalogue.partnerID
            let imported = try await origin.importing(.embedded(files), as: name)
            #expect(imported.outcome == .complete)
            try await origin.serving { port in
                let sync = try await mirror.syncAsPlanned(name, port: port)
                #expect(sync.outcome == .complete)
            }
        }
    }

    /// Thirty artworks, every third without a picture: a dry run can read all of them from pages. Each picture is stored in
    /// two formats.
    @Test func aFirstDryRunEstimatesTheSizeOfPictures() async throws {
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
            #expect(result.files["image"] == Estimate(40, sampled: 30))
            #expect(result.requests.rounded == sync.summary.requests.sent)
            #expect(sync.summary.objects["image"]?.created == 40)
            let media = Double(sync.summary.requests.mediaBytes)
            // The plan's size doesn't include the answers' headers.
            #expect(abs(result.media.value - media) < media * 0.05, "\(result.media) \(media)")
            #expect(plan.summary.requests.sent <= 14 + 40)
        }
    }

    /// The catalogue with one artwork changed, one artwork removed, and one document removed.
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
    /// Runs a sync, or a dry run, and records the items that it reports.
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
                base: base, transport: CurlTransport(.init(addresses: .testing)), cache: cache,
                interceptors: .standard())
        }
        return TestMirror.Observed(summary: try await run(sync, seen.monitor), items: seen.items)
    }

    /// Makes a dry run, then the sync, both without pictures, and expects that both report the same items.
    func syncAsPlanned(_ name: String, port: Int) async throws -> SyncSummary {
        let before = try contents(name)
        let plan = try await observed(name, port: port) { try await $0.plan($1) }
        let after = try contents(name)
        #expect(after == before)
        let result = try #require(plan.summary.plan)
        #expect(plan.summary.requests.sent <= 14)
        let sync = try await observed(name, port: port) { try await $0.run($1) }
        let documents = sync.items.filter { $0.hasPrefix("document") }
        #expect(plan.items == sync.items.subtracting(documents))
        for kind in Kinds.standard.all where kind != .document {
            #expect(plan.summary.objects[kind.name] == sync.summary.objects[kind.name], "\(kind)")
        }
        if documents.isEmpty {
            #expect(result.isExact)
            #expect(
                result.requests.rounded == sync.summary.requests.sent - sync.summary.inaccessible)
        }
        return sync.summary
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
