#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Compares strings by their UTF-8 bytes, which is the order of code points.
///
/// `String` itself compares by canonical equivalence, by which two different keys or ids may be equal.
package enum UTF8Order {
    package static func equal(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && compare(left, right) == 0
    }

    package static func precedes(_ left: String, _ right: String) -> Bool {
        compare(left, right) < 0
    }

    /// A negative number, zero or a positive number, like `memcmp`.
    package static func compare(_ left: String, _ right: String) -> Int {
        left.withBytes { a in right.withBytes { b in compare(a, b) } }
    }

    package static func hash(_ text: String, into hasher: inout Hasher) {
        text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }

    /// Decodes UTF-8; `nil` if `bytes` are invalid.
    ///
    /// `String(validating:)` is slow here. `String(decoding:)` repairs invalid bytes, so a difference between the bytes
    /// before and after reveals invalid input.
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.withBytes { compare($0, bytes) == 0 } ? text : nil
    }

    @inline(__always)
    static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        let common = min(a.count, b.count)
        if common > 0, let left = a.baseAddress, let right = b.baseAddress {
            // Most keys differ in the first byte, which saves the call.
            if left.pointee != right.pointee { return Int(left.pointee) - Int(right.pointee) }
            let result = memcmp(left, right, common)
            if result != 0 { return Int(result) }
        }
        return a.count - b.count
    }
}

extension String {
    /// Calls `body` with the text's bytes. Only strings bridged from Objective-C are copied.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
    }

    /// Whether the text is empty or only white space.
    package var isBlank: Bool {
        for byte in utf8 {
            // The common case returns at the first byte; Unicode's other spaces need the slow check.
            if byte > 0x20 && byte < 0x80 { return false }
            if byte >= 0x80 { return unicodeScalars.allSatisfy { $0.properties.isWhitespace } }
            if byte != 0x20 && !(0x09...0x0D).contains(byte) { return false }
        }
        return true
    }
}
