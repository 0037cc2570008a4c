import Catalogue
import Foundation
import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

/// The number of round trips of a sync, which determines its time on a long link.
@Suite struct RoundTripTests {
    /// Holds each answer until all requests of its round have arrived. If they aren't sent together, the test hangs.
    private final class Rounds: Sendable {
        private struct State {
            var arrived = 0
            var lines: [String] = []
            var waiting: [(round: Int, continuation: CheckedContinuation<Void, Never>)] = []
        }

        private let sizes: [Int]
        private let state = Mutex(State())

        init(_ sizes: [Int]) { self.sizes = sizes }

        /// The requests of each round, sorted, and a last element with the requests beyond the rounds.
        var rounds: [[String]] {
            var lines = state.withLock { $0.lines }[...]
            var rounds = sizes.map { size in
                defer { lines = lines.dropFirst(size) }
                return lines.prefix(size).sorted()
            }
            rounds.append(Array(lines))
            return rounds
        }

        func wait(_ line: String) async {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state in
                    var round = 0, end = sizes[0]
                    while state.arrived >= end, round < sizes.count - 1 {
                        round += 1
                        end += sizes[round]
                    }
                    state.arrived += 1
                    state.lines.append(line)
                    state.waiting.append((round, continuation))
                    guard state.arrived >= end else { return [CheckedContinuation<Void, Never>]() }
                    defer { state.waiting.removeAll { $0.round == round } }
                    return state.waiting.filter { $0.round == round }.map(\.continuation)
                }
                for continuation in ready { continuation.resume() }
            }
        }
    }

    private let partner = FakePartner { server in
        server.extensions = ["validators", "since", "events"]
        server.artist("a")
        for id in ["one", "two", "three"] { server.artwork(id, title: id, artist: "a") }
        server.objects["/me"] = #"{"id":"u","email":"ann@example.org","type":"Viewer"}"#
        server.overrides["PUT /partner/p/partner_flags?key=last_folio_access"] = .text("{}")
    }

    private func sync(_ mirror: TestMirror, _ rounds: Rounds? = nil) async throws -> SyncSummary {
        try await Sync(
            partner: "p", folder: mirror.mirror, base: FakePartner.base, options: SyncOptions(),
            now: { Date(timeIntervalSince1970: 1_795_000_000) }
        ) { [partner] base, cache in
            let transport = ScriptedTransport(base: base) { request in
                let answer = partner.answer(request)
                let path = request.url.split(separator: "/api/v1", maxSplits: 1).last.map(String.init) ?? ""
                await rounds?.wait("\(request.method) \(path.prefix { $0 != "?" })")
                return answer
            }
            return try InterceptableSession(base: base, transport: transport, cache: cache)
        }.run()
    }

    @Test(.timeLimit(.minutes(5))) func anUnchangedSyncTakesFourRoundTrips() async throws {
        let mirror = try TestMirror(partner)
        #expect(try await sync(mirror).outcome == .complete)
        let rounds = Rounds([1, 2, 6, 1])
        #expect(try await sync(mirror, rounds).outcome == .complete)
        let found = rounds.rounds
        #expect(found[0].count == 1)
        #expect(found[1].contains("GET /partner/p/all") && found[1].contains { $0.contains("/events/") })
        #expect(
            found[2].filter { $0.hasPrefix("GET /partner/p/") }.count == 5 && found[2].contains("GET /me"))
        #expect(found[3].first?.hasPrefix("PUT /partner/p/partner_flags") == true)
        #expect(found[4].isEmpty)
    }
}
