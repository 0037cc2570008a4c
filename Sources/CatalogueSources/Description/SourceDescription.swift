import Catalogue

/// How to read a catalogue from the JSON API of another server: the contents of a description, a YAML file.
///
/// A description contains requests as templates (``URLTemplate``), and SQL queries that read answers (``SourceQuery``). The
/// article "Write a source" explains all keys.
package struct SourceDescription: Sendable {
    /// The id (`source`), which is also the id of the partner.
    package var id = ""
    /// The name of the museum.
    package var title = ""
    /// The address of the museum's website.
    package var website: String?
    /// The address that all relative requests start with, without a trailing slash.
    package var base = ""
    /// The licence of the records, such as `CC0-1.0`.
    package var licence: String?
    /// About how many artworks the catalogue has (`works`); `nil` if the description doesn't say.
    package var works: Int?
    /// Whether pictures are fetched without a condition on their licence (`rights: unchecked`).
    package var hasUncheckedRights = false
    /// The only hosts besides the base's that may be requested, in lower case.
    package var hosts: [String] = []
    /// The maximum rate of requests.
    package var rate = RequestRate()
    /// Answers that mean that the server refuses requests for a while, or permanently.
    package var blocked: [BlockRule] = []
    /// Parts of the catalogue that can be selected, by name.
    package var selections: [String: Selection] = [:]
    /// The key that the server requires; `nil` if it requires none.
    package var key: AccessKey?
    /// Additional header fields, in the order of the file.
    package var headers: [HeaderField] = []
    /// An address for the server's owner to write to, for `User-Agent`.
    package var contact: String?
    /// The language to prefer in texts with several languages, such as `en`.
    package var language: String?
    /// The described kinds, in the order of ``Catalogue/Kinds/listed``.
    package var kinds: [KindDescription] = []

    package init() {}

    /// The description of a kind; `nil` if it is gathered from artworks, or absent.
    package subscript(_ kind: Kind) -> KindDescription? { kinds.first { $0.kind == kind } }

    /// A part of the catalogue that can be selected with `--select NAME=VALUE`.
    package struct Selection: Sendable, Hashable {
        /// Replaces the list's request; contains `{value}`.
        package var get: URLTemplate
        /// The number of objects beyond which the server's list ends; `nil` if it has no such limit.
        package var window: Int?

        package init(get: URLTemplate, window: Int? = nil) { (self.get, self.window) = (get, window) }
    }

    /// The key that a server requires with each request.
    package struct AccessKey: Sendable, Hashable {
        /// Where the key is sent.
        package enum Place: Sendable, Hashable {
            /// In a query item with this name.
            case query(String)
            /// In a header field with this name.
            case header(String)
        }

        package var place: Place
        /// The environment variable that contains the key.
        package var variable: String

        package init(_ place: Place, variable: String) { (self.place, self.variable) = (place, variable) }
    }

    /// A header field.
    package struct HeaderField: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }
}

/// How many requests a server may be sent.
package struct RequestRate: Sendable, Hashable {
    /// The number of requests in each ``interval``; `nil` for no limit.
    package var requests: Double?
    /// The time to which ``requests`` refers: a second, a minute, an hour or a day.
    package var interval: Duration = .seconds(1)
    /// The maximum number of requests on one day (UTC); `nil` for no limit.
    package var perDay: Int?
    /// The maximum number of concurrent requests; `nil` for no limit of its own.
    package var parallel: Int?

    package init() {}
}

/// An answer that is no content: the server refuses requests for a while, or the service has ended.
package struct BlockRule: Sendable, Hashable {
    /// Which answers the rule is for.
    package enum Sign: Sendable, Hashable {
        /// Those with this status.
        case status(Int)
        /// Those with this media type, such as `text/html`.
        case type(String)
        /// Those with a header field of this name.
        case header(String)
    }

    /// What the answer means.
    package enum Meaning: Sendable, Hashable {
        /// All requests to the host wait for this time.
        case wait(Duration)
        /// The service has ended permanently.
        case ended
    }

    package var sign: Sign
    package var meaning: Meaning

    package init(_ sign: Sign, _ meaning: Meaning) { (self.sign, self.meaning) = (sign, meaning) }
}

/// A part of a description's file, for messages.
package struct SourcePosition: Sendable, Hashable {
    /// From 1.
    package var line: Int
    /// From 1.
    package var column: Int

    package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }
}

/// An SQL query that reads an answer, and its position in the description.
package struct SourceQuery: Sendable, Hashable {
    package var sql: String
    /// Where the query's text begins.
    package var position: SourcePosition
    /// Whether the description contains the text as it is here, with the same indentation in each line, so that a place in ``sql``
    /// is also a place in the file. Default: `true`.
    package var isVerbatim: Bool

    package init(
        _ sql: String, at position: SourcePosition = SourcePosition(line: 1, column: 1),
        isVerbatim: Bool = true
    ) {
        (self.sql, self.position, self.isVerbatim) = (sql, position, isVerbatim)
    }
}

/// An error in a description: what is wrong, where, and what to do.
package struct SourceDescriptionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the file, or of the built-in description.
    package var file: String
    /// `nil` if the whole file is wrong, for example because it isn't YAML.
    package var position: SourcePosition?
    /// One or two sentences: what is wrong, and what to do.
    package var message: String

    package init(_ message: String, file: String, at position: SourcePosition? = nil) {
        (self.message, self.file, self.position) = (message, file, position)
    }

    /// `met.yaml:12:5: The key "rows" is missing. …`
    package var description: String {
        let place = position.map { "\(file):\($0.line):\($0.column)" } ?? file
        return "\(place): \(message)"
    }
}
