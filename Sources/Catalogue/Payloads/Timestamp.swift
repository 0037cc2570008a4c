/// A point in time as the API writes it (RFC 3339), to be compared.
///
/// Payloads keep their timestamps as texts, so that nothing is lost; this reads one when two are to be compared.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Whole seconds since 1970-01-01T00:00:00Z, negative before.
    public let seconds: Int
    /// 0 to 999,999,999.
    public let nanoseconds: Int

    public init(seconds: Int, nanoseconds: Int = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Seconds since 1970 with their fraction.
    public var secondsSince1970: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

    /// Reads an RFC 3339 timestamp.
    ///
    /// Any offset is taken, `t`, `z` and a space for `T` too (RFC 3339 section 5.6), fractions of any length, an offset
    /// without its colon, and no offset at all, or a date alone, as UTC. A leap second is the second after it.
    public init?(_ text: String) {
        var text = text
        guard let result = text.withUTF8({ Self.read($0) }) else { return nil }
        self = result
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// Whether the text `left` says a later time than `right`; `nil` if either can't be read.
    public static func isLater(_ left: String, than right: String) -> Bool? {
        guard let a = Timestamp(left), let b = Timestamp(right) else { return nil }
        return a > b
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
        var reader = DigitReader(bytes)
        guard let year = reader.digits(4), reader.skip("-"), let month = reader.digits(2), reader.skip("-"),
            let day = reader.digits(2)
        else { return nil }
        let date = CalendarDate(year: year, month: month, day: day)
        guard date.exists else { return nil }
        let days = date.daysSince1970
        if reader.isAtEnd { return Timestamp(seconds: days * 86400) }
        guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let hour = reader.digits(2),
            reader.skip(":"), let minute = reader.digits(2), reader.skip(":"), let second = reader.digits(2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var nanoseconds = 0
        if reader.skip(".") {
            guard let fraction = reader.fraction() else { return nil }
            nanoseconds = fraction
        }
        guard let offset = offset(&reader), reader.isAtEnd else { return nil }
        return Timestamp(
            seconds: days * 86400 + hour * 3600 + minute * 60 + second - offset, nanoseconds: nanoseconds)
    }

    /// Seconds east of UTC.
    private static func offset(_ reader: inout DigitReader) -> Int? {
        if reader.isAtEnd || reader.skip("Z") || reader.skip("z") { return 0 }
        let isWest = reader.skip("-")
        guard isWest || reader.skip("+"), let hours = reader.digits(2) else { return nil }
        _ = reader.skip(":")
        guard let minutes = reader.digits(2), hours < 24, minutes < 60 else { return nil }
        return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
}

/// Steps through the bytes of a timestamp.
private struct DigitReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    mutating func skip(_ scalar: UnicodeScalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: scalar) else { return false }
        index += 1
        return true
    }

    mutating func digits(_ count: Int) -> Int? {
        guard index + count <= bytes.count else { return nil }
        var value = 0
        for _ in 0..<count {
            guard bytes[index].isASCIIDigit else { return nil }
            value = value * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            index += 1
        }
        return value
    }

    /// Nanoseconds; digits beyond the ninth are dropped.
    mutating func fraction() -> Int? {
        var value = 0
        var scale = 100_000_000
        let first = index
        while index < bytes.count, bytes[index].isASCIIDigit {
            value += Int(bytes[index] - UInt8(ascii: "0")) * scale
            scale /= 10
            index += 1
        }
        return index > first ? value : nil
    }
}
