extension CanonicalURL {
    /// Whether ``normalise(_:)`` would change nothing about a path that follows a canonical base. `false` says nothing:
    /// escapes, dot segments and queries are for ``normalise(_:)`` to look at.
    package static func isPlainPath(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { bytes in
            guard bytes.first == 0x2F else { return false }
            var last: UInt8 = 0
            for byte in bytes {
                // A segment that begins with a dot may be one that is resolved.
                guard byte == 0x2F || URLBytes.Allowed.segment.contains(byte), last != 0x2F || byte != 0x2E
                else { return false }
                last = byte
            }
            return true
        }
    }
}
