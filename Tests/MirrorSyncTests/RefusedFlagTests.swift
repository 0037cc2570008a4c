import Foundation
import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("A server that refuses the time of the last use", .fewAtATime)
struct RefusedFlagTests {
    private static let flags = "PUT /partner/p/partner_flags"

    /// - Returns: the summary, and the problems that were reported about the flag.
    private func sync(_ mirror: TestMirror) async throws -> (SyncSummary, [Problem]) {
        let problems = Mutex<[Problem]>([]), partner = mirror.partner
        var options = SyncOptions()
        options.synchronous = true
        let summary = try await Sync(
            partner: "p", folder: mirror.mirror, base: "http://origin.test/api/v1", options: options,
            now: { Date(timeIntervalSince1970: 1_795_000_000) }
        ) { base, cache in
            try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
        }.run(
            SyncMonitor { event in
                if case .problem(let problem) = event { problems.withLock { $0.append(problem) } }
            })
        return (summary, problems.withLock { $0 }.filter { $0.id == "partner_flags" })
    }

    @Test(arguments: [401, 403, 404, 405, 501])
    func aRefusedTimeOfLastUseIsReportedOnceAndTheSyncIsComplete(status: Int) async throws {
        let partner = FakePartner { state in
            state.artwork("a")
            state.overrides[Self.flags] = .text("{}", status: status)
        }
        let mirror = try TestMirror(partner)
        let first = try await sync(mirror)
        #expect(first.0.outcome == .complete, "\(first.0.problems)")
        #expect(first.1.count == 1)
        let second = try await sync(mirror)
        #expect(second.0.outcome == .complete && second.1.isEmpty)
        // After the server has accepted the flag, a later refusal is reported again.
        partner.change { $0.overrides[Self.flags] = .text("{}") }
        #expect(try await sync(mirror).1.isEmpty)
        partner.change { $0.overrides[Self.flags] = .text("{}", status: status) }
        #expect(try await sync(mirror).1.count == 1)
    }

    @Test func anExpiredSessionFailsTheSync() async throws {
        let partner = FakePartner { state in
            state.overrides[Self.flags] = .text(#"{"error":"credentials_expired"}"#, status: 403)
        }
        let summary = try await TestMirror(partner).sync()
        #expect(summary.outcome == .failed && (summary.cause as? SyncError)?.code == .notAuthorised)
    }
}
