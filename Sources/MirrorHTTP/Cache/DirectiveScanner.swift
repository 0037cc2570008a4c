/// Takes a `Cache-Control` value apart: `name`, `name=token` or `name="quoted string"`, separated by commas.
struct DirectiveScanner {
    struct Directive {
        /// In lower case.
        let name: String
        /// Without quotes; `nil` if there was no `=`.
        let value: String?
        /// White space beside the `=`, an open quotation, or text after a quotation.
        let isMalformed: Bool

        /// The value as delta-seconds; `nil` if it isn't that.
        var seconds: Double? {
            isMalformed ? nil : value.flatMap { FieldList.deltaSeconds($0.utf8) }
        }
    }

    private let bytes: [UInt8]
    private var index = 0

    init(_ value: String) {
        bytes = Array(value.utf8)
    }

    mutating func next() -> Directive? {
        while index < bytes.count, isSpace(bytes[index]) || bytes[index] == 0x2C { index += 1 }
        guard index < bytes.count else { return nil }
        let start = index
        while index < bytes.count, bytes[index] != 0x2C, bytes[index] != 0x3D, !isSpace(bytes[index]) {
            index += 1
        }
        let name = String(decoding: bytes[start..<index].map(URLBytes.lowered), as: UTF8.self)
        var isMalformed = skipSpace()
        guard index < bytes.count, bytes[index] == 0x3D else {
            // Text after the name that is no value: `no-store x` is taken for `no-store`.
            let rest = token()
            return Directive(name: name, value: nil, isMalformed: !rest.isEmpty)
        }
        index += 1
        isMalformed = skipSpace() || isMalformed
        if index < bytes.count, bytes[index] == 0x22 {
            let (value, isClosed) = quotedString()
            let rest = token()
            return Directive(name: name, value: value, isMalformed: isMalformed || !isClosed || !rest.isEmpty)
        }
        return Directive(name: name, value: token(), isMalformed: isMalformed)
    }

    /// Everything up to the next comma, without white space at its end.
    private mutating func token() -> String {
        let start = index
        while index < bytes.count, bytes[index] != 0x2C { index += 1 }
        var end = index
        while end > start, isSpace(bytes[end - 1]) { end -= 1 }
        return String(decoding: bytes[start..<end], as: UTF8.self)
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
