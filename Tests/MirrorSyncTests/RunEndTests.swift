import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

/// What a run leaves behind in a process that lives on, such as a watch.
@Suite("The end of a run", .fewAtATime)
struct RunEndTests {
    private struct Reference {
        weak var cache: CanonicalURLCache?
    }

    /// A watch that polls runs thousands: each that kept its cache would keep four files open.
    @Test func keepsNoFileOpen() async throws {
        let partner = FakePartner { $0.artwork("a") }
        let mirror = try TestMirror(partner), kept = Mutex(Reference())
        var options = SyncOptions()
        (options.synchronous, options.media) = (true, false)
        let summary = try await Sync(
            partner: "p", folder: mirror.mirror, base: "http://origin.test/api/v1", options: options
        ) { base, cache in
            kept.withLock { $0.cache = cache }
            return try InterceptableSession(
                base: base, transport: partner.transport(base: base), cache: cache)
        }.run()
        #expect(summary.outcome == .complete)
        #expect(kept.withLock { $0.cache } == nil)
    }
}
