import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("A file URL that many objects share", .fewAtATime) struct SharedDownloadTests {
    private static let address = "/shared/larger.jpg"
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
    private static func image(_ caption: String = "") -> String {
        #"{"id":"i","caption":"\#(caption)","image_url":"shared/larger.jpg","image_versions":["larger"]}"#
    }

    private static func put(_ id: String, caption: String = "", in state: inout FakePartner.State) {
        state.put(.artwork, id, #"{"id":"\#(id)","title":"T","images":[\#(image(caption))]}"#)
    }

    private func partner(_ answer: ScriptedAnswer? = nil) -> FakePartner {
        FakePartner { state in
            for number in 0..<40 { Self.put("w\(number)", in: &state) }
            state.show("s", [])
            state.lists["/partner_show/s/images?default=0"] = [Self.image()]
            state.lists["/partner_show/s/images?default=1"] = [Self.image()]
            state.files[Self.address] = Self.jpeg
            state.overrides[Self.address] = answer
        }
    }

    private func requests(_ partner: FakePartner) -> Int {
        partner.takeRequests().count { $0 == "GET \(Self.address)" }
    }

    @Test(arguments: [true, false])
    func aSharedFileIsRequestedOnceInARunAndStoredForAllObjects(isSynchronous: Bool) async throws {
        let partner = partner(), mirror = try TestMirror(partner)
        let summary = try await mirror.sync { $0.synchronous = isSynchronous }
        #expect(requests(partner) == 1)
        #expect(summary.outcome == .complete && summary.objects["image"]?.created == 42)
        try mirror.read { store in
            let owners = (0..<40).map { (Owner(.artwork, "w\($0)"), ImageRole.picture) }
            let shots = [(Owner(.show, "s"), ImageRole.installation), (Owner(.show, "s"), .cover)]
            let hashes = try (owners + shots).map {
                try store.imageFiles(of: $0, role: $1)["i"]?["larger"]?.file?.hash
            }
            #expect(Set(hashes).count == 1 && hashes[0] != nil)
            #expect(try store.fileTotals().files == 1)
        }
    }

    /// A request that failed with 500 is retried at the end of the walk.
    @Test(arguments: [(404, 1), (403, 1), (500, 2)])
    func aSharedFileThatTheServerRefusesIsRequestedOnceForAllObjects(status: Int, count: Int) async throws {
        let partner = partner(.text("", status: status)), mirror = try TestMirror(partner)
        let summary = try await mirror.sync()
        #expect(requests(partner) == count)
        #expect(summary.outcome == (status == 404 ? .complete : .partial))
        #expect(summary.unavailable.images == (status == 404 ? 42 : 0))
    }

    @Test func aSharedFileIsRevalidatedOnceInARun() async throws {
        let partner = partner(), mirror = try TestMirror(partner)
        try await mirror.sync()
        _ = requests(partner)
        let summary = try await mirror.sync { $0.revalidateMedia = true }
        #expect(requests(partner) == 1)
        #expect(summary.outcome == .complete)
    }

    @Test func aDryRunCountsASharedFileOnce() async throws {
        let mirror = try TestMirror(partner())
        try await mirror.sync { $0.media = false }
        let plan = try #require(await mirror.plan { _ in }.summary.plan)
        let pictures = try #require(plan.files["image"]).value
        #expect((1..<10).contains(pictures))
    }

    /// The files of a page are fetched for ten objects at a time.
    @Test func aSharedFileIsRequestedOnceForAPageOfAWatchedFeed() async throws {
        let scenario = try WatchScenario()
        scenario.begin()
        _ = scenario.partner.takeRequests()
        func page(_ ids: [String], caption: String) async throws {
            scenario.change { state in
                state.files[Self.address] = Self.jpeg + Array(caption.utf8)
                for id in ids {
                    Self.put(id, caption: caption, in: &state)
                    state.tell("artworks", id, 1)
                }
            }
            scenario.tick()
            let size = Int64(Self.jpeg.count + caption.utf8.count)
            #expect(
                try await scenario.settle {
                    try scenario.mirror.read { store in
                        try ids.allSatisfy {
                            try store.imageFiles(of: Owner(.artwork, $0), role: .picture)["i"]?["larger"]?
                                .file?.size == size
                        }
                    }
                })
        }
        let ids = (0..<25).map { "w\($0)" }
        try await page(ids, caption: "first")
        #expect(requests(scenario.partner) == 1)
        // An object that changed on a later page has its file requested again.
        try await page(["w7"], caption: "second one")
        #expect(requests(scenario.partner) == 1)
    }

    // MARK: - Downloads of a run

    @Test func theFirstRequestForASharedFileServesTheOthersThatWait() async throws {
        let downloads = SharedDownloads(), requests = Requests()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    _ = try await downloads.outcome(of: "u", isRetry: false, find: { _ in nil }) {
                        requests.count.withLock { $0 += 1 }
                        for _ in 0..<10 { await Task.yield() }
                        return .unavailable
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(requests.count.withLock { $0 } == 1)
    }

    private final class Requests: Sendable { let count = Mutex(0) }

    @Test func aFailedSharedFileIsRetriedOnceAtTheEndOfARun() async throws {
        let downloads = SharedDownloads(), requests = Mutex(0)
        func fails(isRetry: Bool) async -> Bool {
            do {
                _ = try await downloads.outcome(of: "u", isRetry: isRetry, find: { _ in nil }) {
                    requests.withLock { $0 += 1 }
                    throw HTTPError(.serverError, "No.", status: 500)
                }
                return false
            } catch {
                return (error as? HTTPError)?.status == 500
            }
        }
        for isRetry in [false, false, true, true, false] { #expect(await fails(isRetry: isRetry)) }
        #expect(requests.withLock { $0 } == 2)
        downloads.forgetFailures()
        #expect(await fails(isRetry: false))
        #expect(requests.withLock { $0 } == 3)
    }

    @Test func aCancelledDownloadOfASharedFileIsRepeatedForTheNextObject() async throws {
        let downloads = SharedDownloads()
        await #expect(throws: CancellationError.self) {
            _ = try await downloads.outcome(of: "u", isRetry: false, find: { _ in nil }) {
                throw CancellationError()
            }
        }
        let outcome = try await downloads.outcome(of: "u", isRetry: false, find: { _ in nil }) {
            .unavailable
        }
        guard case .unavailable = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func aCancelledTaskStopsWaitingForASharedFile() async throws {
        let downloads = SharedDownloads()
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let (began, starter) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await downloads.outcome(of: "u", isRetry: false, find: { _ in nil }) {
                starter.finish()
                for await _ in gate {}
                return .unavailable
            }
        }
        for await _ in began {}
        let second = Task {
            try await downloads.outcome(of: "u", isRetry: false, find: { _ in nil }) { .unavailable }
        }
        second.cancel()
        await #expect(throws: CancellationError.self) { _ = try await second.value }
        opener.finish()
        _ = try await first.value
    }

    @Test func aSharedFileIsLookedUpInTheStoreAfterManyOtherDownloads() async throws {
        let downloads = SharedDownloads(), hash = String(repeating: "0a", count: 32)
        let file = StoredFile(hash: hash, size: 1, path: "media/0a/\(hash)", type: nil)
        for number in 0..<5_000 {
            _ = try await downloads.outcome(of: "u\(number)", isRetry: false, find: { _ in nil }) {
                .file(file, etag: "\"e\"", lastModified: nil, isConfirmed: false)
            }
        }
        let outcome = try await downloads.outcome(
            of: "u0", isRetry: false, find: { $0 == hash.prefix(16) ? file : nil }
        ) { .unavailable }
        guard case .file(file, nil, nil, true) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }
}
