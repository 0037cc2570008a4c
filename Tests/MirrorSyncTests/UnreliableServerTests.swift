import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

/// A server that fails to answer a fifth of the requests, in all possible ways.
@Suite("An unreliable server", .fewAtATime)
struct UnreliableServerTests {
    private static let failures: [ScriptedAnswer] = [
        .text(#"{"error":"trouble"}"#, status: 500),
        .text("", status: 503, headers: ["Retry-After": "2"]),
        .text("", status: 429, headers: ["Retry-After": "1"]),
        .failure(.connectionLost),
        .failure(.idleTimedOut),
        .truncated(Array(#"{"id":"a1","title":"cut sh"#.utf8), after: 20),
    ]

    @Test(arguments: [false, true], [UInt64(1), 2])
    func aSyncFromAnUnreliableServerIsCompleteWithFewExtraRequests(isConcurrent: Bool, seed: UInt64)
        async throws
    {
        let ids = (0..<1_000).map { "a\($0)" }
        let partner = FakePartner { state in
            for id in ids { state.artwork(id) }
        }
        let home = try TemporaryHome()
        let mirror = try home.mirror("p")
        let random = SeededRandom(seed: seed), clock = VirtualClock(.jumping)
        let counts = Mutex((sent: 0, answered: 0))
        var options = SyncOptions()
        options.synchronous = !isConcurrent
        let summary = try await Sync(
            partner: "p", folder: mirror, base: "http://origin.test/api/v1", options: options,
            now: { clock.now }
        ) { base, cache in
            let transport = ScriptedTransport(base: base) { request in
                let fails = random.unit() < 0.2
                counts.withLock {
                    $0.sent += 1
                    if !fails { $0.answered += 1 }
                }
                guard fails else { return partner.answer(request) }
                return Self.failures[Int(random.next() % UInt64(Self.failures.count))]
            }
            return try InterceptableSession(
                base: base, transport: transport, cache: cache, interceptors: .standard(),
                configuration: SessionConfiguration(clock: clock.sessionClock, random: random.unit))
        }.run()

        #expect(summary.outcome == .complete, "\(summary.problems.prefix(3))")
        let store = try mirror.store()
        #expect(try store.snapshot { try $0.ids(.artwork).sorted() } == ids.sorted())
        try store.close()
        let (sent, answered) = counts.withLock { $0 }
        #expect(answered > 1_000)
        #expect(Double(sent) / Double(answered) < 1.4)
    }
}
