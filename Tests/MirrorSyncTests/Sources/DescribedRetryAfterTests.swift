import Foundation
import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

/// "`Retry-After` wins" (SOURCES.md D): within a run nothing is sent to the host before its time; if that is longer than `--max-wait`,
/// the run ends and says so.
@Suite("Syncs that are asked to wait", .limitedConcurrency) struct DescribedRetryAfterTests {
    /// Answers the first request of a work, or of a page, with 429.
    private func refuse(_ museum: ScriptedMuseum, _ prefix: String, _ retryAfter: String) {
        let isFirst = Mutex(true)
        museum.answer { target in
            guard target.hasPrefix(prefix) else { return nil }
            let refuses = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return refuses ? .response(429, headers: ["Retry-After": retryAfter]) : nil
        }
    }

    @Test(
        arguments: ["/works?", "/works/"], ["600", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func `a wait that is longer than the longest one ends the run without another request`(
        prefix: String, value: String
    ) async throws {
        let museum = try ScriptedMuseum()
        refuse(museum, prefix, value)
        let summary = try await museum.sync { $0.maxWait = .seconds(4) }
        #expect(summary.outcome == .partial)
        #expect((summary.cause as? SyncError)?.code == .paused, "\(summary.failure ?? "no failure")")
        #expect(summary.failure?.contains("api.museum.test requests a wait of") == true)
        #expect(summary.failure?.contains("--max-wait") == true)
        let continuesAt = try #require(summary.continuesAt)
        #expect(continuesAt >= DescribedMirror.start.addingTimeInterval(600))
        #expect(museum.requests().last?.hasPrefix(prefix) == true, "the refused request was the last one")
        museum.answer()
        #expect(try await museum.sync().outcome == .complete)
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    @Test(arguments: ["/works?", "/works/"])
    func `a wait that is allowed is kept, and then the run continues`(prefix: String) async throws {
        let museum = try ScriptedMuseum()
        refuse(museum, prefix, "600")
        let start = museum.mirror.clock.now
        #expect(try await museum.sync().outcome == .complete)
        #expect(museum.mirror.clock.now.timeIntervalSince(start) >= 600)
        #expect(try museum.ids == ScriptedMuseum.ids(5))
    }

    @Test func `a picture's host that asks for a long wait ends the run, and the works are stored`()
        async throws
    {
        let museum = try ScriptedMuseum(
            SmallDescription {
                $0.top = "hosts: [pictures.museum.test]"
                $0.object =
                    "images: SELECT value AS url FROM json_each(:body, '$.pictures') WHERE :body ->> 'free'"
            }, works: ScriptedMuseum.works(2))
        museum.change(
            "1", ["pictures": .array([.string("https://pictures.museum.test/1.jpg")]), "free": true])
        refuse(museum, "https://pictures.museum.test/", "600")
        let summary = try await museum.sync { $0.maxWait = .seconds(4) }
        #expect((summary.cause as? SyncError)?.code == .paused)
        #expect(museum.requests().count { $0.hasPrefix("https:") } == 1)
        #expect(try museum.ids.contains("1"))
    }
}
