/// A canonical URL with the number that it is found by, in memory as in the file.
struct EntryKey: Sendable, Hashable {
    let text: String
    let hash: Int64

    init(_ text: String) {
        self.text = text
        hash = Self.hash(text)
    }

    static func == (a: EntryKey, b: EntryKey) -> Bool { a.hash == b.hash && a.text == b.text }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// FNV-1a, 64 bits: the same in every run.
    static func hash(_ text: String) -> Int64 {
        var text = text
        return text.withUTF8 { bytes in
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return Int64(bitPattern: hash)
        }
    }
}
