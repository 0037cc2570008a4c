/// A JSON number that keeps its spelling.
///
/// A number is written exactly as it was read (`1.50` stays `1.50`). Equality and hashing use the mathematical value and
/// are exact at any length: `1 == 1.0 == 10e-1`. If an exponent is beyond `Int`, only equal spellings are equal.
public struct JSONNumber: Sendable {
    /// The number as written, valid by RFC 8259.
    public let lexeme: String

    /// Creates a number from its spelling; `nil` if `lexeme` isn't a JSON number.
    public init?(lexeme: String) {
        guard case .number(let number)? = try? JSONValue(parsing: lexeme), number.lexeme == lexeme else {
            return nil
        }
        self = number
    }

    /// Creates an integer.
    public init(_ value: Int) { lexeme = String(value) }

    /// Creates a number, spelled as Swift prints `value`, which reads back as `value`; `nil` for infinities and NaN.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        lexeme = "\(value)"
    }

    init(validLexeme lexeme: String) { self.lexeme = lexeme }

    /// The nearest double; infinite where the number is too large for one.
    public var doubleValue: Double { Double(lexeme) ?? .nan }

    /// The number as an integer; `nil` if it has a fraction or is too large. `1.0` and `1e3` are integers.
    public var intValue: Int? {
        if let value = Int(lexeme) { return value }
        // An exponent may be as large as `Int.max`, so check it before adding.
        guard let decimal = Decimal(lexeme), (0...19).contains(decimal.exponent) else { return nil }
        guard decimal.digits.count + decimal.exponent <= 19 else { return nil }
        let zeros = String(repeating: "0", count: decimal.exponent)
        return Int((decimal.isNegative ? "-" : "") + String(decoding: decimal.digits, as: UTF8.self) + zeros)
    }

    /// Whether the spelling is digits with an optional minus sign.
    var isSpelledAsInteger: Bool {
        let digits = lexeme.utf8.first == UInt8(ascii: "-") ? lexeme.utf8.dropFirst() : lexeme.utf8[...]
        return digits.allSatisfy(\.isASCIIDigit)
    }

    /// A number in normal form: sign, digits without zeros at either end, and a power of ten. Zero is `+0e0`.
    private struct Decimal: Hashable {
        private(set) var isNegative: Bool
        private(set) var digits: [UInt8]
        private(set) var exponent: Int

        /// `nil` where the exponent does not fit into an `Int`.
        init?(_ lexeme: String) {
            let parts = lexeme.utf8.split { $0 | 0x20 == UInt8(ascii: "e") }
            isNegative = parts[0].first == UInt8(ascii: "-")
            let mantissa = parts[0].drop { $0 == UInt8(ascii: "-") }.split(separator: UInt8(ascii: "."))
            let fraction = mantissa.dropFirst().first
            digits = Array(
                (Array(mantissa[0]) + (fraction.map(Array.init) ?? [])).drop { $0 == UInt8(ascii: "0") })
            exponent = -(fraction?.count ?? 0)
            while digits.last == UInt8(ascii: "0") {
                digits.removeLast()
                exponent += 1
            }
            guard !digits.isEmpty else {
                (isNegative, digits, exponent) = (false, [UInt8(ascii: "0")], 0)
                return
            }
            guard parts.count > 1 else { return }
            guard let written = Int(String(parts[1]) ?? "") else { return nil }
            let (sum, overflow) = exponent.addingReportingOverflow(written)
            guard !overflow else { return nil }
            exponent = sum
        }
    }
}

extension JSONNumber: Hashable {
    /// Compares mathematical values exactly.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        if left.lexeme == right.lexeme { return true }
        guard let a = Decimal(left.lexeme), let b = Decimal(right.lexeme) else { return false }
        return a == b
    }

    /// Hashes the mathematical value.
    public func hash(into hasher: inout Hasher) {
        if let decimal = Decimal(lexeme) { decimal.hash(into: &hasher) } else { hasher.combine(lexeme) }
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The number as it was written.
    public var description: String { lexeme }
}
