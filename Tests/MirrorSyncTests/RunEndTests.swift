import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

/// The resources that a run releases in a long-lived process, such as a watch.
@Suite("The end of a run", .fewAtATime)
struct RunEndTests {
    private struct Reference {
        weak var cache: CanonicalURLCache?
    }

    /// A watch runs thousands of syncs, and each unreleased cache would keep four files open.
    @Test func aFinishedRunReleasesItsCache() async throws {
        let partner = FakePartner { $0.artwork("a") }
        let mirror = try TestMirror(partner), created = Mutex(Reference())
        var options = SyncOptions()
        (options.synchronous, options.media) = (true, false)
        let summary = try await Sync(
            partner: "p", folder: mirror.mirror, base: "http://origin.test/api/v1", options: options
        ) { base, cache in
            created.withLock { $0.cache = cache }
            return try InterceptableSession(
                base: base, transport: partner.transport(base: base), cache: cache)
        }.run()
        #expect(summary.outcome == .complete)
        #expect(created.withLock { $0.cache } == nil)
    }
}
