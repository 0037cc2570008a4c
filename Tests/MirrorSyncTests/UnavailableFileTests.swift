import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Pictures and documents that the server doesn't have", .limitedConcurrency) struct UnavailableFileTests
{
    private let partner = FakePartner { state in
        for id in ["a", "b", "c"] { state.artwork(id, image: "i\(id)") }
        state.show("s", ["a"])
        state.lists["/partner/p/show/s/documents"] = ["d"]
        state.objects["/partner/p/show/s/document/d"] = #"{"id":"d","title":"D","uri":"/d.pdf"}"#
    }
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]

    private func prepared(
        _ mirror: TestMirror, day: Int, _ change: (inout SyncOptions) -> Void = { _ in }
    ) throws -> Sync {
        var options = SyncOptions()
        options.synchronous = true
        change(&options)
        let now = Date(timeIntervalSince1970: 1_795_000_000 + Double(day) * 86_401), partner = partner
        partner.change { $0.date = "\(["Sat", "Sun", "Mon"][day]), \(21 + day) Nov 2026 10:00:0\(day) GMT" }
        return Sync(
            partner: "p", folder: try mirror.mirror, base: "http://origin.test/api/v1", options: options,
            now: { now }
        ) { base, cache in
            try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
        }
    }

    /// - Returns: the summary, and how many requests for pictures and for the document were sent.
    private func sync(
        _ mirror: TestMirror, day: Int = 0, _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> (summary: SyncSummary, pictures: Int, documents: Int) {
        _ = partner.takeRequests()
        let summary = try await prepared(mirror, day: day, change).run()
        let requests = partner.takeRequests()
        return (
            summary, requests.count { $0.hasSuffix("/larger.jpg") }, requests.count { $0 == "GET /d.pdf" }
        )
    }

    @Test(arguments: [[], ["validators"], ["validators", "since"]])
    func unavailableFilesAreCountedAndRequestedAgainAfterADay(extensions: [String]) async throws {
        partner.change { ($0.extensions, $0.hasListETags) = (extensions, !extensions.isEmpty) }
        let mirror = try TestMirror(partner), missing = UnavailableFiles(images: 3, documents: 1)
        let first = try await sync(mirror)
        #expect(first.summary.outcome == .complete, "\(first.summary.problems)")
        #expect(first.summary.unavailable == missing)
        #expect((first.pictures, first.documents) == (3, 1))
        #expect(
            first.summary.json["unavailable"]
                == .object(["image": .integer(3), "tile": .integer(0), "document": .integer(1)]))
        for _ in 0..<2 {
            let again = try await sync(mirror)
            #expect((again.pictures, again.documents) == (0, 0))
            #expect(again.summary.outcome == .complete && again.summary.unavailable == missing)
        }
        let nextDay = try await sync(mirror, day: 1)
        #expect((nextDay.pictures, nextDay.documents) == (3, 1))
        #expect(nextDay.summary.outcome == .complete && nextDay.summary.unavailable == missing)
        #expect(try await sync(mirror, day: 1).pictures == 0)
        partner.change { state in
            for id in ["a", "b", "c"] { state.files["/artwork/\(id)/image/i\(id)/larger.jpg"] = Self.jpeg }
            state.files["/d.pdf"] = Array("%PDF-1.4".utf8)
        }
        let last = try await sync(mirror, day: 2)
        #expect(last.summary.unavailable == UnavailableFiles())
        #expect(last.summary.objects["image"]?.created == 3)
        #expect(try mirror.read { try $0.fileTotals().files } == 2)
    }

    @Test func aFullSyncRequestsUnavailableFilesAtOnce() async throws {
        let mirror = try TestMirror(partner)
        _ = try await sync(mirror)
        let full = try await sync(mirror) { $0.full = true }
        #expect((full.pictures, full.documents) == (3, 1))
        let revalidated = try await sync(mirror) { $0.revalidateMedia = true }
        #expect((revalidated.pictures, revalidated.documents) == (3, 1))
    }

    /// The earlier copy is never removed, because it is the last one.
    @Test func aFileWithAnEarlierCopyIsNotCountedAsUnavailable() async throws {
        func put(_ caption: String) {
            partner.change { state in
                state.put(
                    .artwork, "a",
                    #"{"id":"a","title":"T","images":[{"id":"i","caption":"\#(caption)","image_url":"artwork/a/image/ia/larger.jpg","image_versions":["larger"]}]}"#
                )
            }
        }
        put("before")
        partner.change { state in
            for id in ["a", "b", "c"] { state.files["/artwork/\(id)/image/i\(id)/larger.jpg"] = Self.jpeg }
        }
        let mirror = try TestMirror(partner)
        #expect(try await sync(mirror).summary.unavailable.images == 0)
        put("after")
        partner.change { $0.files["/artwork/a/image/ia/larger.jpg"] = nil }
        let changed = try await sync(mirror)
        #expect(changed.pictures == 1 && changed.summary.outcome == .complete)
        #expect(changed.summary.unavailable.images == 0)
        let file = try mirror.read {
            try $0.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]?["larger"]?.file
        }
        #expect(try mirror.mirror.files.has(try #require(file)))
        // The stored copy is the file of the earlier entry.
        #expect(try await sync(mirror).pictures == 0)
        #expect(try await sync(mirror, day: 1).pictures == 1)
    }

    /// Nothing requests a picture in a format that is no longer wanted or offered.
    @Test(arguments: [[], ["validators"], ["validators", "since"]])
    func unavailableFilesOfUnwantedFormatsAreForgotten(extensions: [String]) async throws {
        partner.change { state in
            (state.extensions, state.hasListETags) = (extensions, !extensions.isEmpty)
            state.files["/d.pdf"] = Array("%PDF-1.4".utf8)
        }
        let mirror = try TestMirror(partner)
        #expect(try await sync(mirror).summary.unavailable == UnavailableFiles(images: 3))
        let without = try await sync(mirror) { $0.media = false }
        #expect(without.summary.unavailable == UnavailableFiles(images: 3))
        let other = try await sync(mirror) { $0.formats = ["square"] }
        #expect(other.pictures == 0 && other.summary.outcome == .complete)
        #expect(other.summary.unavailable == UnavailableFiles())
        #expect(try mirror.read { try $0.hasUnavailablePictures() } == false)
        // When the format is wanted again, they are requested again.
        let again = try await sync(mirror) { $0.formats = .standard }
        #expect(again.pictures == 3 && again.summary.unavailable == UnavailableFiles(images: 3))
    }

    /// The server's answer for the earlier entry doesn't apply to the changed one.
    @Test func anUnavailablePictureIsForgottenWhenItsImageInTheArtworkChanges() async throws {
        let mirror = try TestMirror(partner)
        #expect(try await sync(mirror).summary.unavailable.images == 3)
        partner.change { state in
            state.put(
                .artwork, "b",
                #"{"id":"b","title":"T","images":[{"id":"ib","image_url":"artwork/b/image/ib/larger.jpg","image_versions":["square"]}]}"#
            )
            state.files["/artwork/b/image/ib/square.jpg"] = Self.jpeg
        }
        let without = try await sync(mirror) { $0.media = false }
        #expect(without.summary.unavailable.images == 2)
        let changed = try await sync(mirror)
        #expect(changed.summary.outcome == .complete && changed.summary.unavailable.images == 2)
    }

    @Test func unavailableFilesAreNotPartOfADryRunsEstimate() async throws {
        partner.change { ($0.extensions, $0.hasListETags) = (["validators"], true) }
        let mirror = try TestMirror(partner)
        _ = try await sync(mirror)
        let plan = try #require(await prepared(mirror, day: 0).plan().plan)
        #expect(!plan.hasChanges && plan.media.value == 0 && (plan.files["image"]?.value ?? 0) == 0)
        // After a day, only a request can show whether the server has the files now.
        let due = try #require(await prepared(mirror, day: 1).plan().plan)
        #expect(!due.isExact && due.media.value == 0 && due.requests.value >= plan.requests.value + 4)
    }

    @Test(arguments: [
        (404, true), (405, true), (410, true), (451, true), (501, true), (400, false), (401, false),
        (403, false), (500, false), (503, false),
    ])
    func theStatusDecidesWhetherAFileIsUnavailable(status: Int, isUnavailable: Bool) {
        let error = HTTPError(.unexpectedStatus, "No.", status: status)
        #expect(FileDownload.isUnavailable(error) == isUnavailable)
    }

    @Test func verifyCountsUnavailableFilesWithoutFindings() async throws {
        let mirror = try TestMirror(partner)
        _ = try await sync(mirror)
        let summary = try await Verification(of: prepared(mirror, day: 0)).run()
        #expect(summary.outcome == .complete && summary.findings == 0)
        #expect(summary.unavailable == UnavailableFiles(images: 3, documents: 1))
        #expect(
            summary.json["unavailable"]
                == .object(["image": .integer(3), "tile": .integer(0), "document": .integer(1)]))
    }

    @Test func aWatchReportsUnavailableFiles() async throws {
        let scenario = try WatchScenario()
        scenario.begin()
        _ = scenario.takeEvents()
        scenario.change { state in
            state.artwork("c", image: "i")
            state.addEvent("artworks", "c", 1)
        }
        scenario.tick()
        #expect(
            try await scenario.settle {
                try scenario.mirror.read { try $0.unavailableFiles() == UnavailableFiles(images: 1) }
            })
        scenario.settle()
        let reported = scenario.takeEvents().compactMap { event in
            if case .item("image", let id, let action, _) = event { "\(id) \(action)" } else { nil }
        }
        #expect(reported == ["i unavailable"])
        #expect(scenario.problems.isEmpty)
    }
}
