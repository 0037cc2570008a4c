import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// The API for apps, with libcurl and over loopback.
@Suite("A mirror in an app", .serialized, .timeLimit(.minutes(5)))
struct AppMirrorTests {
    private static let catalogue = CatalogueFiles.embedded([
        "partner.json": #"{"id":"p","name":"The Partner"}"#,
        "artworks.jsonl": #"{"id":"a","title":"First","artist_ids":[],"images":[]}"#,
        "artists.jsonl": "", "shows.jsonl": "", "albums.jsonl": "", "locations.jsonl": "",
    ])

    @Test func anAppPlansSyncsUpdatesAndWatchesAMirror() async throws {
        let origin = try LiveMirror(), app = try LiveMirror()
        try await origin.importing(Self.catalogue, as: "p")
        try await origin.serving { port in
            let mirror = try app.mirror("p"), url = "http://127.0.0.1:\(port)/p"
            let monitor = SyncMonitor(), progress = monitor.progress(every: .seconds(86_400))
            let plan = try await mirror.plan(from: url, monitor: monitor)
            #expect(plan.plan?.hasChanges == true && !mirror.exists)
            var planned = 0
            for await step in progress { planned += step.events.count }
            #expect(planned > 0)

            let first = try await mirror.sync(from: url, userAgent: "Gallery/1.2")
            #expect(first.outcome == .complete, "\(first.problems)")
            #expect(first.objects["artwork"]?.created == 1)
            // The server is remembered.
            let second = try await mirror.sync()
            #expect(second.outcome == .complete && !second.hasChanges)

            let (events, happened) = AsyncStream.makeStream(of: WatchEvent.self)
            let watch = try mirror.watch()
            let watching = Task { try await watch.run(WatchObserver(handler: { happened.yield($0) })) }
            for await event in events { if case .following = event { break } }
            #expect(watch.status.way == .events)
            watching.cancel()
            try await watching.value
        }
    }

    @Test func aFirstSyncInAnAppUsesTheServerOfTheLogin() async throws {
        let origin = try LiveMirror(), app = try LiveMirror()
        try await origin.importing(Self.catalogue, as: "p")
        try await origin.serving { port in
            let mirror = try app.mirror("p")
            try mirror.prepare()
            try CredentialsFile(mirror).store(.token("t"), for: "http://127.0.0.1:\(port)/p/api/v1")
            let summary = try await mirror.sync()
            #expect(summary.outcome == .complete && summary.objects["artwork"]?.created == 1)
        }
    }
}
