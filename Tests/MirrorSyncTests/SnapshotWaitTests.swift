import Foundation
import GRDB
import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorStore
@testable import MirrorSync

@Suite("A snapshot from a slow server", .fewAtATime, .timeLimit(.minutes(10)))
struct SnapshotWaitTests {
    /// A clock that stands still and records the requested waits; a sleep returns at once.
    private final class Clock: Sendable {
        let waits = Mutex<[Duration]>([])

        var session: SessionClock {
            SessionClock(
                now: { Date(timeIntervalSince1970: 1_795_000_000) }, elapsed: { .zero },
                sleep: { wait in self.waits.withLock { $0.append(wait) } })
        }
    }

    /// Reports the number of artworks after each commit.
    private final class Commits: TransactionObserver {
        let tell: (Int) -> Void

        init(_ tell: @escaping (Int) -> Void) { self.tell = tell }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {
            tell((try? Int.fetchOne(db, sql: "SELECT count(*) FROM artwork")) ?? 0)
        }
        func databaseDidRollback(_ db: Database) {}
    }

    private static let objects = 1_000

    /// A line for each artwork; the first range starts with the snapshot's first line.
    private static func lines(_ range: Range<Int>) -> [UInt8] {
        let head = #"{"event_id":"e","count":\#(objects),"bytes":1}"#
        let entries = range.map { number in
            let id = "w\(10_000 + number)"
            return #"{"url":"/artwork/\#(id)","etag":"e","body":{"id":"\#(id)"}}"#
        }
        let lines = (range.lowerBound == 0 ? [head] : []) + entries
        return Array(lines.map { "\($0)\n" }.joined().utf8)
    }

    @Test func writtenPartsAreCommittedBeforeWaitingForTheServer() async throws {
        let clock = Clock(), inbox = SnapshotInbox(), counts = Mutex<[Int]>([])
        let fixture = try StepFixture(clock: clock.session)
        @Sendable func send(_ range: Range<Int>) throws {
            try Self.lines(range).withUnsafeBytes { try inbox.receive($0) }
        }
        // The server sends the rest only after the first commit. Without a commit while waiting, this test would not end.
        let commits = Commits { count in
            let isFirst = counts.withLock { counts in
                counts.append(count)
                return counts.count == 1
            }
            guard isFirst else { return }
            do { try send(900..<Self.objects) } catch { Issue.record(error) }
            inbox.end(nil)
        }
        fixture.store.pool.add(transactionObserver: commits, extent: .databaseLifetime)
        try inbox.begin(TransportResponse(status: 200, headers: HeaderFields([])))
        try send(0..<900)
        var intake = SnapshotIntake(
            environment: fixture.environment, inbox: inbox, began: .now,
            writer: SnapshotWriter(environment: fixture.environment, position: LoadPosition()) { _, _ in },
            loaded: .init())
        #expect(try await !intake.run(), "the last line is missing")
        #expect(counts.withLock { $0 } == [900, 1_000])
        #expect(clock.waits.withLock { $0 } == [.seconds(1)])
    }
}
