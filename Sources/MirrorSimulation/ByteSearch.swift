#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Looks for bytes: many times as fast as `Data.range(of:)` and `String.contains(_:)`, by which a simulation would spend more
/// time than by what it simulates.
enum ByteSearch {
    static func holds(_ content: UnsafeRawBufferPointer, _ bytes: [UInt8]) -> Bool {
        guard var place = content.baseAddress, let first = bytes.first else { return false }
        let end = place + content.count
        while let found = memchr(place, Int32(first), end - place).map({ UnsafeRawPointer($0) }),
            end - found >= bytes.count
        {
            if memcmp(found, bytes, bytes.count) == 0 { return true }
            place = found + 1
        }
        return false
    }
}

extension String {
    /// Whether it has the other's bytes somewhere; `false` for none.
    func holds(_ part: String) -> Bool { holds(Array(part.utf8)) }

    func holds(_ bytes: [UInt8]) -> Bool {
        var text = self
        return text.withUTF8 { ByteSearch.holds(UnsafeRawBufferPointer($0), bytes) }
    }
}
