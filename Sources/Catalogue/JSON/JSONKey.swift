/// The name of a member, with its first bytes at hand.
///
/// Members are looked up by binary search, and nearly every step of one is decided by the first eight bytes: compared
/// as one number they cost no call and no look at the text.
struct JSONKey: Sendable {
    let text: String
    /// See ``start(of:)``.
    private let start: UInt64

    init(_ text: String) {
        self.text = text
        start = Self.withBytes(of: text) { Self.start(of: $0) }
    }

    /// - Parameter bytes: those of the text, where they are at hand.
    init(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.text = text
        start = Self.start(of: bytes)
    }

    /// The key of no text.
    init() { (text, start) = ("", 0) }

    /// Negative, zero or positive, in the order of ``UTF8Order``.
    @inline(__always)
    static func compare(_ left: JSONKey, _ right: JSONKey) -> Int {
        if left.start != right.start { return left.start < right.start ? -1 : 1 }
        return withBytes(of: right.text) { left.compareEqualStarts($0) }
    }

    /// The same with a key that is sought.
    @inline(__always)
    func compare(_ sought: Sought) -> Int {
        start != sought.start ? (start < sought.start ? -1 : 1) : compareEqualStarts(sought.bytes)
    }

    private func compareEqualStarts(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let count = text.utf8.count
        // A zero may be a byte of the text or stand for none, so equal starts say nothing of unequal lengths.
        if count <= 8, count == bytes.count { return 0 }
        return Self.withBytes(of: text) { UTF8Order.compare($0, bytes) }
    }

    /// A key to look for: bytes that are valid while it is used.
    struct Sought {
        fileprivate let start: UInt64
        fileprivate let bytes: UnsafeBufferPointer<UInt8>

        @inline(__always)
        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            start = JSONKey.start(of: bytes)
            self.bytes = bytes
        }
    }

    /// The first eight bytes as a number, most significant first; zeros behind the end of a shorter text.
    @inline(__always)
    private static func start(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        if bytes.count >= 8 {
            return UInt64(bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self))
        }
        var start: UInt64 = 0
        for byte in bytes { start = start &<< 8 | UInt64(byte) }
        return start << UInt64(64 - 8 * bytes.count)
    }

    @inline(__always)
    static func withBytes<Result>(
        of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        // Only strings bridged from Objective-C are not contiguous.
        text.utf8.withContiguousStorageIfAvailable(body) ?? Array(text.utf8).withUnsafeBufferPointer(body)
    }
}
