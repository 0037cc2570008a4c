import MirrorHTTP
import MirrorStore
import Testing

@testable import MirrorSync

@Suite("Reading a snapshot that arrives in pieces", .limitedConcurrency) struct SnapshotReadingTests {
    private static let limit = ObjectOperation.bodyLimit

    /// Reads a snapshot of three artworks, the second of which has `count` bytes, in pieces of `pieces` bytes.
    private func reading(_ count: Int, pieces: Int) throws -> SnapshotReading {
        func entry(_ id: String, _ body: String) -> String {
            #"{"url":"/artwork/\#(id)","etag":"e","body":\#(body)}"#
        }
        let long = #"{"id":"b","x":""#, length = count - long.utf8.count - 2
        // Of long parts, because a debug build appends millions of letters slowly.
        let part = String(repeating: "x", count: 1_000)
        let rest = String(repeating: part, count: length / 1_000) + part.prefix(length % 1_000)
        let text = [
            #"{"event_id":"e","count":3,"bytes":1}"#, entry("a", #"{"id":"a"}"#),
            entry("b", "\(long)\(rest)\"}"),
            entry("c", #"{"id":"c"}"#), #"{"end":true,"count":3}"#,
        ].map { "\($0)\n" }.joined()
        var reading = SnapshotReading(
            environment: try StepFixture().environment,
            answer: SnapshotAnswer(
                head: ResponseHead(status: 200, headers: [:]), requestTime: 0, responseTime: 0),
            url: "")
        var lines = SnapshotLines(), bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            try lines.feed(Array(bytes.prefix(pieces))) { try reading.process($0) }
            bytes = bytes.dropFirst(pieces)
        }
        return reading
    }

    @Test(arguments: [
        (Self.limit, true), (Self.limit + 1, false), (Self.limit + 3_000, false),
        (Self.limit + 100_000, false),
        (2 * Self.limit, false),
    ])
    func anObjectBeyondTheBodyLimitIsSkippedInASnapshot(_ count: Int, _ isStored: Bool) throws {
        for pieces in [16 << 10, 300_001, 3 * Self.limit] {
            var reading = try reading(count, pieces: pieces)
            #expect(reading.isWhole)
            let part = reading.takePart()
            #expect(part.lines == 3 && part.url == "/artwork/c")
            #expect(part.inconsistency == (isStored ? nil : "/artwork/b can't be read"))
            let taken = part.writes.compactMap { write in
                if case .object(let record) = write { record.id } else { nil }
            }
            #expect(taken == (isStored ? ["a", "b", "c"] : ["a", "c"]))
        }
    }
}
