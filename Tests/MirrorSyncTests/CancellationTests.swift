import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("A run that is broken off")
struct CancellationTests {
    /// Passes requests on, and calls somebody before the one that ends as said.
    private struct TellingTransport: Transport {
        let transport: ScriptedTransport
        let before: String
        let tell: @Sendable () -> Void

        func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
            if request.url.hasSuffix(before) {
                tell()
                try Task.checkCancellation()
            }
            return try await transport.send(request, into: sink)
        }
    }

    /// Passes requests on, but for the one that ends as said: that is answered by nobody.
    private struct WaitingTransport: Transport {
        let transport: ScriptedTransport
        let unanswered: String
        let tell: @Sendable () -> Void

        func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
            guard request.url.hasSuffix(unanswered) else {
                return try await transport.send(request, into: sink)
            }
            let (never, continuation) = AsyncStream.makeStream(of: Void.self)
            tell()
            for await _ in never {}
            withExtendedLifetime(continuation) {}
            throw CancellationError()
        }
    }

    @Test(.timeLimit(.minutes(5))) func aDryRunDoesNotWaitForASnapshotThatBeginsLate() async throws {
        let partner = FakePartner { state in
            state.extensions = ["snapshot"]
            state.artwork("a")
        }
        let folder = try TestMirror(partner).mirror
        await #expect(throws: CancellationError.self) {
            try await cancellable { cancel in
                var options = SyncOptions()
                (options.synchronous, options.media) = (true, false)
                return try await Sync(
                    partner: "p", folder: folder, base: "http://origin.test/api/v1", options: options,
                    now: { TestMirror.now }
                ) { base, cache in
                    let transport = WaitingTransport(
                        transport: partner.transport(base: base), unanswered: FakePartner.snapshotURL,
                        tell: cancel)
                    return try InterceptableSession(base: base, transport: transport, cache: cache)
                }.plan()
            }
        }
    }

    /// A run that somebody cancels from within.
    private func cancellable(
        _ run: @escaping @Sendable (_ cancel: @escaping @Sendable () -> Void) async throws -> SyncSummary
    ) async throws -> SyncSummary {
        let work = Mutex<Task<SyncSummary, any Error>?>(nil)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in begun { break }
            return try await run { work.withLock { $0 }?.cancel() }
        }
        work.withLock { $0 = task }
        begin.yield()
        return try await task.value
    }

    @Test func whatIsDoneStaysNothingIsSweptAndTheNextRunGoesOn() async throws {
        let partner = FakePartner { state in
            state.extensions = ["validators"]
            for id in ["a", "b", "c", "d", "e", "f"] { state.artwork(id) }
        }
        let mirror = try TestMirror(partner)
        partner.change { $0.artwork("z") }
        try await mirror.sync()
        let whole = partner.takeRequests().count
        #expect(try mirror.ids(.artwork).count == 7)

        // Gone at the server: a complete run would sweep it. The others are all new.
        partner.change { state in
            state.remove(.artwork, "z")
            for id in ["a", "b", "c", "d", "e", "f"] { state.artwork(id, title: "New \(id)") }
        }
        let folder = try mirror.mirror
        let summary = try await cancellable { cancel in
            var options = SyncOptions()
            options.synchronous = true
            return try await Sync(partner: "p", folder: folder, options: options, now: { TestMirror.now }) {
                base, cache in
                let transport = TellingTransport(
                    transport: partner.transport(base: base), before: "/artwork/d", tell: cancel)
                return try InterceptableSession(base: base, transport: transport, cache: cache)
            }.run()
        }
        #expect(summary.outcome == .cancelled && summary.failure == nil)
        #expect(summary.objects["artwork"]?.updated == 3 && summary.objects["artwork"]?.deleted == 0)
        #expect(summary.objects["artwork"]?.unchanged == 0, "nobody knows that")
        #expect(try mirror.ids(.artwork).count == 7)
        let first = partner.takeRequests()
        #expect(
            first.filter { $0.hasPrefix("GET /artwork/") } == ["a", "b", "c"].map { "GET /artwork/\($0)" })

        let next = try await mirror.sync()
        #expect(next.outcome == .complete && next.objects["artwork"]?.deleted == 1)
        let second = partner.takeRequests()
        #expect(
            second.filter { $0.hasPrefix("GET /artwork/") } == ["d", "e", "f"].map { "GET /artwork/\($0)" })
        // The lists are asked for again, and no object twice.
        #expect(first.count + second.count <= whole + 10)
        let outcomes = try mirror.read { try $0.runs(limit: 2).map(\.outcome) }
        #expect(outcomes == ["complete", "cancelled"])
    }
}
