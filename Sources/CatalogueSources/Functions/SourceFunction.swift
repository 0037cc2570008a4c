import Catalogue
import GRDBSQLite

/// A function that descriptions may call beside SQLite's own, or instead of it. It is pure: the same arguments give the same
/// result.
struct SourceFunction: Sendable {
    let name: String
    let argumentCount: Int
    /// Called only if no argument is NULL; otherwise the function returns NULL.
    let body: Body

    /// The result would be longer than a value may be.
    struct ResultTooLong: Error {}

    typealias Body = @Sendable ([Argument]) throws(ResultTooLong) -> SQLValue

    /// All functions, for a source with this language.
    static func all(language: String?) -> [SourceFunction] {
        [
            SourceFunction("plain") { .text(PlainText.plain($0)) },
            SourceFunction("year") { YearReading.year(in: $0).map { .integer(Int64($0)) } },
            SourceFunction("instant") { InstantReading.instant($0).map(SQLValue.text) },
            SourceFunction("reading_order") { .text(ReadingOrder.readingOrder(of: $0)) },
            SourceFunction("free") { .integer(Licence.isFree($0) ? 1 : 0) },
            SourceFunction("iiif_base") { ImageService.base(of: $0).map(SQLValue.text) },
            SourceFunction("centimetres", 2) { arguments in
                Measure.centimetres(arguments[0].text, unit: arguments[1].text)
                    .map { $0 == $0.rounded() ? .integer(Int64($0)) : .real($0) } ?? .null
            },
            SourceFunction("text", 1) { arguments in
                LocalizedText(language: language).text(arguments[0].json).map(SQLValue.text) ?? .null
            },
            SourceFunction("list", 1) {
                .text(JSONValue.array(LocalizedText.list($0[0].json)).canonicalText)
            },
            SourceFunction("joined", 2) { arguments throws(ResultTooLong) in
                try LocalizedText(language: language)
                    .joined(arguments[0].json, separator: arguments[1].text).map(SQLValue.text) ?? .null
            },
            SourceFunction("instr", 2) { arguments in
                .integer(Int64(TextSearch.position(of: arguments[1].text, in: arguments[0].text)))
            },
            SourceFunction("replace", 3) { arguments throws(ResultTooLong) in
                .text(
                    try TextSearch.replacing(
                        arguments[1].text, in: arguments[0].text, with: arguments[2].text))
            },
            trim("trim", start: true, end: true), trim("ltrim", start: true, end: false),
            trim("rtrim", start: false, end: true),
        ]
    }

    /// The form with two arguments; with one, it is SQLite's own.
    private static func trim(_ name: String, start: Bool, end: Bool) -> SourceFunction {
        SourceFunction(name, 2) { arguments in
            .text(TextSearch.trimmed(arguments[0].text, arguments[1].text, start: start, end: end))
        }
    }

    static let names = all(language: nil).map(\.name)

    private init(_ name: String, _ argumentCount: Int, _ body: @escaping Body) {
        (self.name, self.argumentCount, self.body) = (name, argumentCount, body)
    }

    /// A function of one text.
    private init(_ name: String, _ body: @escaping @Sendable (String) -> SQLValue?) {
        self.init(name, 1) { body($0[0].text) ?? .null }
    }

    /// An argument that isn't NULL.
    struct Argument {
        let value: SQLValue
        /// Whether SQLite says that the text is JSON: a result of `->` or of a JSON function.
        let isJSON: Bool

        var text: String { value.text ?? "" }

        /// The argument as JSON.
        ///
        /// `json_each` doesn't say which of its values are JSON, so that any text that reads as an array or object is one.
        var json: JSONValue {
            switch value {
            case .null: return .null
            case .integer(let number): return .number(JSONNumber(Int(number)))
            case .real(let number): return JSONNumber(number).map(JSONValue.number) ?? .null
            case .text(let text):
                let first = text.utf8.first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
                guard isJSON || first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else {
                    return .string(text)
                }
                // A title may begin with a bracket, too.
                return (try? JSONValue(parsing: text)) ?? .string(text)
            }
        }
    }
}

// MARK: - SQLite

extension SourceFunction {
    /// Registers the function on a connection, which keeps it until it is closed.
    func register(in database: OpaquePointer) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS | SQLITE_SUBTYPE
        sqlite3_create_function_v2(
            database, name, Int32(argumentCount), flags,
            Unmanaged.passRetained(RegisteredFunction(body)).toOpaque(), callFunction, nil, nil,
            releaseFunction)
    }
}

private final class RegisteredFunction {
    let body: SourceFunction.Body

    init(_ body: @escaping SourceFunction.Body) { self.body = body }
}

private func releaseFunction(_ function: UnsafeMutableRawPointer?) {
    guard let function else { return }
    Unmanaged<RegisteredFunction>.fromOpaque(function).release()
}

private func callFunction(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
) {
    guard let values, let function = sqlite3_user_data(context) else { return }
    var arguments: [SourceFunction.Argument] = []
    for value in UnsafeBufferPointer(start: values, count: Int(count)) {
        guard let argument = SourceFunction.Argument(value) else { return sqlite3_result_null(context) }
        arguments.append(argument)
    }
    do throws(SourceFunction.ResultTooLong) {
        let body = Unmanaged<RegisteredFunction>.fromOpaque(function).takeUnretainedValue().body
        SourceFunction.setResult(try body(arguments), of: context)
    } catch {
        sqlite3_result_error_toobig(context)
    }
}

extension SourceFunction {
    static func setResult(_ value: SQLValue, of context: OpaquePointer?) {
        switch value {
        case .null: sqlite3_result_null(context)
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number): sqlite3_result_double(context, number)
        case .text(var text):
            // SQLite copies the text.
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { chars in
                    if let start = chars.baseAddress {
                        sqlite3_result_text64(context, start, UInt64(chars.count), copied, UInt8(SQLITE_UTF8))
                    } else {
                        sqlite3_result_text(context, "", 0, copied)
                    }
                }
            }
        }
    }
}

extension SourceFunction.Argument {
    /// `nil` for NULL.
    init?(_ value: OpaquePointer?) {
        switch sqlite3_value_type(value) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER: self.init(value: .integer(sqlite3_value_int64(value)), isJSON: false)
        case SQLITE_FLOAT: self.init(value: .real(sqlite3_value_double(value)), isJSON: false)
        default:
            // SQLite marks JSON with the subtype J.
            let isJSON = sqlite3_value_subtype(value) == UInt32(UInt8(ascii: "J"))
            guard let start = sqlite3_value_text(value) else { return nil }
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
            self.init(value: .text(String(sqliteText: bytes)), isJSON: isJSON)
        }
    }
}
