/// Why bytes could not be read as JSON, or a list as a list.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of thing is wrong; callers decide by this, never by the message.
    public enum Code: Sendable, Hashable {
        /// The bytes do not follow the grammar of RFC 8259.
        case syntax
        /// The bytes end in the middle of a value.
        case truncated
        /// A string is not valid UTF-8.
        case invalidUTF8
        /// Something follows the value.
        case trailingGarbage
        /// Arrays and objects are nested deeper than the limit.
        case tooDeep
        /// A list was expected, and something else came: `null`, an object, a page of HTML, nothing.
        case notAnArray
        /// One element of a list is larger than the limit.
        case elementTooLarge
    }

    public let code: Code
    /// Where in the input, in bytes from its start.
    public let offset: Int
    /// One sentence without any of the input's text.
    public let message: String

    package init(_ code: Code, at offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    /// The sentence, with the place in it: `The JSON ends in the middle of a value (at byte 21).`
    public var description: String {
        message.hasSuffix(".")
            ? "\(message.dropLast()) (at byte \(offset))." : "\(message) (at byte \(offset))"
    }
}
