extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits in lower case, two a byte.
    package var hexadecimal: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
        var digits: [UInt8] = []
        for byte in self {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Reads hexadecimal digits in either case, two a byte; `nil` for anything else.
    package init?(hexadecimal text: String) {
        let values = text.utf8.compactMap(\.hexDigitValue)
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
