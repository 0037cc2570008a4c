/// Reads header fields whose value is a list (RFC 9110, section 5.6.1).
enum FieldList {
    /// The members of every line of a field, without the white space around them; empty members are left out.
    /// A comma within a quoted string doesn't separate.
    static func members(_ values: [String]) -> [String] {
        var members: [String] = []
        for value in values {
            var start = value.utf8.startIndex
            var isQuoted = false
            var isEscaped = false
            for index in value.utf8.indices {
                let byte = value.utf8[index]
                if isEscaped {
                    isEscaped = false
                } else if isQuoted {
                    if byte == 0x5C { isEscaped = true } else if byte == 0x22 { isQuoted = false }
                } else if byte == 0x22 {
                    isQuoted = true
                } else if byte == 0x2C {
                    add(value.utf8[start..<index], to: &members)
                    start = value.utf8.index(after: index)
                }
            }
            add(value.utf8[start...], to: &members)
        }
        return members
    }

    private static func add(_ bytes: Substring.UTF8View, to members: inout [String]) {
        let member = trimmed(bytes)
        if !member.isEmpty { members.append(String(Substring(member))) }
    }

    static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        var rest = bytes
        while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return rest
    }

    /// A text with its ASCII letters in lower case.
    static func lowered(_ text: String) -> String {
        String(decoding: text.utf8.map(URLBytes.lowered), as: UTF8.self)
    }

    /// Replaces line breaks and NUL by spaces (RFC 9110, section 5.5), so that lines can be joined and stored as text.
    static func onOneLine(_ text: String) -> String {
        // Byte by byte: a line break with a combining mark behind it is another character.
        String(decoding: text.utf8.map { $0 == 0x0A || $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
    }

    /// A non-negative number of seconds (RFC 9111, section 1.2.2), at most 2³¹; `nil` for anything but digits.
    static func deltaSeconds(_ bytes: some Collection<UInt8>) -> Double? {
        guard !bytes.isEmpty else { return nil }
        var value = 0
        for byte in bytes {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = min(value * 10 + Int(byte - 0x30), 1 << 31)
        }
        return Double(value)
    }
}
