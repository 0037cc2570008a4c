#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Strings compared as bytes of UTF-8, which is the order of their code points.
///
/// `String` compares by canonical equivalence, under which two different keys or ids may be equal.
package enum UTF8Order {
    package static func equal(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && compare(left, right) == 0
    }

    package static func precedes(_ left: String, _ right: String) -> Bool {
        compare(left, right) < 0
    }

    /// Negative, zero or positive, as `memcmp`.
    package static func compare(_ left: String, _ right: String) -> Int {
        left.withBytes { a in right.withBytes { b in compare(a, b) } }
    }

    package static func hash(_ text: String, into hasher: inout Hasher) {
        text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }

    /// The text that valid UTF-8 stands for; `nil` for anything else.
    ///
    /// `String(validating:)` takes a slow, unspecialised way. Decoding repairs what is not UTF-8, so that then, and only
    /// then, the bytes differ.
    static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.withBytes { compare($0, bytes) == 0 } ? text : nil
    }

    @inline(__always)
    static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        let common = min(a.count, b.count)
        if common > 0, let left = a.baseAddress, let right = b.baseAddress {
            // Keys mostly differ at once, which saves the call.
            if left.pointee != right.pointee { return Int(left.pointee) - Int(right.pointee) }
            let result = memcmp(left, right, common)
            if result != 0 { return Int(result) }
        }
        return a.count - b.count
    }
}

extension String {
    /// Calls `body` with the text's bytes. Only strings bridged from Objective-C have to be copied for it.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
    }

    /// Whether there is nothing but white space in it.
    package var isBlank: Bool {
        for byte in utf8 {
            // The common case ends at the first byte; Unicode's other spaces need the slow look.
            if byte > 0x20 && byte < 0x80 { return false }
            if byte >= 0x80 { return unicodeScalars.allSatisfy { $0.properties.isWhitespace } }
            if byte != 0x20 && !(0x09...0x0D).contains(byte) { return false }
        }
        return true
    }
}
