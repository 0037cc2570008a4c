import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("Cancelled runs")
struct CancellationTests {
    /// Forwards requests. Before a request whose URL ends with `before`, it calls `notify`.
    private struct NotifyingTransport: Transport {
        let transport: ScriptedTransport
        let before: String
        let notify: @Sendable () -> Void

        func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
            if request.url.hasSuffix(before) {
                notify()
                try Task.checkCancellation()
            }
            return try await transport.send(request, into: sink)
        }
    }

    /// Forwards requests. A request whose URL ends with `unanswered` gets no answer: `notify` is called instead.
    private struct UnansweredTransport: Transport {
        let transport: ScriptedTransport
        let unanswered: String
        let notify: @Sendable () -> Void

        func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
            guard request.url.hasSuffix(unanswered) else {
                return try await transport.send(request, into: sink)
            }
            let (never, continuation) = AsyncStream.makeStream(of: Void.self)
            notify()
            for await _ in never {}
            withExtendedLifetime(continuation) {}
            throw CancellationError()
        }
    }

    @Test(.timeLimit(.minutes(5))) func aCancelledDryRunDoesNotWaitForALateSnapshot() async throws {
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
                    let transport = UnansweredTransport(
                        transport: partner.transport(base: base), unanswered: FakePartner.snapshotURL,
                        notify: cancel)
                    return try InterceptableSession(base: base, transport: transport, cache: cache)
                }.plan()
            }
        }
    }

    /// Calls `run` with a function that cancels it.
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

    @Test func aCancelledSyncKeepsItsWritesSweepsNothingAndIsContinued() async throws {
        let partner = FakePartner { state in
            state.extensions = ["validators"]
            for id in ["a", "b", "c", "d", "e", "f"] { state.artwork(id) }
        }
        let mirror = try TestMirror(partner)
        partner.change { $0.artwork("z") }
        try await mirror.sync()
        let fullCount = partner.takeRequests().count
        #expect(try mirror.ids(.artwork).count == 7)

        // The server deleted z: a complete run would sweep it. All others changed.
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
                let transport = NotifyingTransport(
                    transport: partner.transport(base: base), before: "/artwork/d", notify: cancel)
                return try InterceptableSession(base: base, transport: transport, cache: cache)
            }.run()
        }
        #expect(summary.outcome == .cancelled && summary.failure == nil)
        #expect(summary.objects["artwork"]?.updated == 3 && summary.objects["artwork"]?.deleted == 0)
        #expect(summary.objects["artwork"]?.unchanged == 0, "the number is unknown after a cancelled run")
        #expect(try mirror.ids(.artwork).count == 7)
        let first = partner.takeRequests()
        #expect(
            first.filter { $0.hasPrefix("GET /artwork/") } == ["a", "b", "c"].map { "GET /artwork/\($0)" })

        let next = try await mirror.sync()
        #expect(next.outcome == .complete && next.objects["artwork"]?.deleted == 1)
        let second = partner.takeRequests()
        #expect(
            second.filter { $0.hasPrefix("GET /artwork/") } == ["d", "e", "f"].map { "GET /artwork/\($0)" })
        // The lists are requested again, but no object is requested twice.
        #expect(first.count + second.count <= fullCount + 10)
        let outcomes = try mirror.read { try $0.runs(limit: 2).map(\.outcome) }
        #expect(outcomes == ["complete", "cancelled"])
    }
}
