/// Names a change of one mirror's log, or the beginning of it, to others: the cursor of a feed of events.
///
/// Written as `{log}-{seq}-{stamp}`. The log's random id tells databases apart. The stamp comes from the time of the row,
/// so that a database that was put back to an earlier state, and went on from there, doesn't take another change for the
/// one that it named before.
package struct EventID: Sendable, Hashable {
    /// The id of the log: letters and digits.
    package let log: String
    /// The row in the log; 0 is before the first.
    package let seq: Int64
    /// Of the row's time; 0 where there was no row of that number.
    package let stamp: UInt64

    init(log: String, seq: Int64, stamp: UInt64) {
        self.log = log
        self.seq = seq
        self.stamp = stamp
    }

    /// Reads an id exactly as ``text`` writes it; `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, let seq = Int64(Substring(parts[1])), seq >= 0,
            let stamp = UInt64(Substring(parts[2]), radix: 36)
        else { return nil }
        self.init(log: String(Substring(parts[0])), seq: seq, stamp: stamp)
        guard Self.isLog(log), text.utf8.elementsEqual(self.text.utf8) else { return nil }
    }

    package var text: String { "\(log)-\(rest)" }

    // MARK: - In the store

    /// Without the log: how the store keeps one of its own.
    var rest: String { "\(seq)-\(String(stamp, radix: 36))" }

    init?(log: String, rest: String) { self.init("\(log)-\(rest)") }

    /// The stamp of a row of that time, which the store writes as `2026-01-31T12:00:00.000Z`: its digits as one number.
    static func stamp(of time: String) -> UInt64 {
        time.utf8.reduce(0) { number, byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                ? number &* 10 &+ UInt64(byte - UInt8(ascii: "0")) : number
        }
    }

    static func isLog(_ id: String) -> Bool {
        !id.isEmpty
            && id.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
    }
}
