#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Searches for bytes with `memchr` and `memcmp`.
///
/// The checks search large texts and files all the time. `Data.range(of:)` and `String.contains(_:)` are so slow that
/// they would take most of a simulation's time.
enum ByteSearch {
    static func containsUTF8(_ content: UnsafeRawBufferPointer, _ bytes: [UInt8]) -> Bool {
        guard var position = content.baseAddress, let first = bytes.first else { return false }
        let end = position + content.count
        while let found = memchr(position, Int32(first), end - position).map({ UnsafeRawPointer($0) }),
            end - found >= bytes.count
        {
            if memcmp(found, bytes, bytes.count) == 0 { return true }
            position = found + 1
        }
        return false
    }
}

extension String {
    /// Whether the UTF-8 of the text contains the bytes of the other text; `false` if that is empty.
    func containsUTF8(_ part: String) -> Bool { containsUTF8(Array(part.utf8)) }

    func containsUTF8(_ bytes: [UInt8]) -> Bool {
        var text = self
        return text.withUTF8 { ByteSearch.containsUTF8(UnsafeRawBufferPointer($0), bytes) }
    }
}
