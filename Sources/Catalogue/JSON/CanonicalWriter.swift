/// Appends values to a buffer in canonical form.
struct CanonicalWriter {
    /// The bytes written so far.
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write(plain: "null")
        case .bool(let value): write(plain: value ? "true" : "false")
        case .number(let number): write(plain: number.lexeme)
        case .string(let text): write(text)
        case .array(let elements):
            write(sign: "[")
            for (index, element) in elements.enumerated() {
                if index > 0 { write(sign: ",") }
                write(element)
            }
            write(sign: "]")
        case .object(let object): write(object)
        }
    }

    mutating func write(_ object: JSONObject) {
        write(sign: "{")
        for (index, member) in object.members.enumerated() {
            if index > 0 { write(sign: ",") }
            write(member.key)
            write(sign: ":")
            write(member.value)
        }
        write(sign: "}")
    }

    private mutating func write(_ text: String) {
        text.withBytes { text in
            bytes.append(UInt8(ascii: "\""))
            if var p = text.baseAddress {
                let end = p + text.count
                while true {
                    let run = p
                    p = JSONText.plainRun(from: p, to: end)
                    bytes.append(contentsOf: UnsafeBufferPointer(start: run, count: p - run))
                    if p == end { break }
                    escape(p.pointee)
                    p += 1
                }
            }
            bytes.append(UInt8(ascii: "\""))
        }
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        if let short = JSONText.escapes.first(where: { $0.byte == byte }) {
            return bytes.append(short.letter)
        }
        // Only control characters are left.
        write(plain: "u00")
        bytes += [(byte >> 4).hexDigit, (byte & 15).hexDigit]
    }

    /// Writes a literal or number, without quotation marks.
    private mutating func write(plain text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func write(sign: UnicodeScalar) { bytes.append(UInt8(ascii: sign)) }
}
