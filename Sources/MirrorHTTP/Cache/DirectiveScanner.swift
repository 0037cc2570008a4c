/// Takes a `Cache-Control` value apart: `name`, `name=token` or `name="quoted string"`, separated by commas.
struct DirectiveScanner {
    /// The directives that ``CacheControl`` looks at.
    enum Name {
        case noStore, noCache, mustRevalidate, mustUnderstand, `public`, `private`, immutable, onlyIfCached
        case maxAge, maxStale, minFresh, staleIfError, staleWhileRevalidate
    }

    struct Directive {
        /// `nil` for one that isn't looked at.
        let name: Name?
        /// Without quotes; `nil` if there was no `=`.
        let value: String?
        /// White space beside the `=`, an open quotation, or text after a quotation.
        let isMalformed: Bool

        /// The value as delta-seconds; `nil` if it isn't that.
        var seconds: Double? {
            isMalformed ? nil : value.flatMap { FieldList.deltaSeconds($0.utf8) }
        }
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    /// - Parameter value: must outlive the scanner.
    init(_ value: UnsafeBufferPointer<UInt8>) {
        bytes = value
    }

    mutating func next() -> Directive? {
        while index < bytes.count, isSpace(bytes[index]) || bytes[index] == 0x2C { index += 1 }
        guard index < bytes.count else { return nil }
        let start = index
        while index < bytes.count, bytes[index] != 0x2C, bytes[index] != 0x3D, !isSpace(bytes[index]) {
            index += 1
        }
        let name = name(start..<index)
        var isMalformed = skipSpace()
        guard index < bytes.count, bytes[index] == 0x3D else {
            // Text after the name that is no value: `no-store x` is taken for `no-store`.
            let hasRest = !tokenRange().isEmpty
            return Directive(name: name, value: nil, isMalformed: hasRest)
        }
        index += 1
        isMalformed = skipSpace() || isMalformed
        if index < bytes.count, bytes[index] == 0x22 {
            let (value, isClosed) = quotedString()
            let hasRest = !tokenRange().isEmpty
            return Directive(name: name, value: value, isMalformed: isMalformed || !isClosed || hasRest)
        }
        let value = String(decoding: UnsafeBufferPointer(rebasing: bytes[tokenRange()]), as: UTF8.self)
        return Directive(name: name, value: value, isMalformed: isMalformed)
    }

    private func name(_ range: Range<Int>) -> Name? {
        for (text, name) in Self.names where text.utf8CodeUnitCount == range.count {
            let isSame = text.withUTF8Buffer { text in
                for offset in 0..<text.count
                where URLBytes.lowered(bytes[range.lowerBound + offset]) != text[offset] { return false }
                return true
            }
            if isSame { return name }
        }
        return nil
    }

    private static let names: [(StaticString, Name)] = [
        ("no-store", .noStore), ("no-cache", .noCache), ("must-revalidate", .mustRevalidate),
        ("must-understand", .mustUnderstand), ("public", .public), ("private", .private),
        ("immutable", .immutable), ("only-if-cached", .onlyIfCached), ("max-age", .maxAge),
        ("max-stale", .maxStale), ("min-fresh", .minFresh), ("stale-if-error", .staleIfError),
        ("stale-while-revalidate", .staleWhileRevalidate),
    ]

    /// Everything up to the next comma, without white space at its end.
    private mutating func tokenRange() -> Range<Int> {
        let start = index
        while index < bytes.count, bytes[index] != 0x2C { index += 1 }
        var end = index
        while end > start, isSpace(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    private mutating func quotedString() -> (value: String, isClosed: Bool) {
        index += 1
        var value: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == 0x22 { return (String(decoding: value, as: UTF8.self), true) }
            if byte == 0x5C, index < bytes.count {
                value.append(bytes[index])
                index += 1
            } else {
                value.append(byte)
            }
        }
        return (String(decoding: value, as: UTF8.self), false)
    }

    private mutating func skipSpace() -> Bool {
        let start = index
        while index < bytes.count, isSpace(bytes[index]) { index += 1 }
        return index > start
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
