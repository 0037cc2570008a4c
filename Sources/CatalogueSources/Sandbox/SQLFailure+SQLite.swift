import GRDBSQLite

extension SQLFailure {
    /// The last error of a connection, with what to do about the common ones.
    init(lastErrorOf database: OpaquePointer) {
        let message = Self.plainLine(String(cString: sqlite3_errmsg(database)))
        let offset = Int(sqlite3_error_offset(database))
        self.init(
            Self.explained(message, code: sqlite3_extended_errcode(database)),
            offset: offset < 0 ? nil : offset)
    }

    private static func explained(_ message: String, code: Int32) -> String {
        switch code & 0xFF {
        case SQLITE_INTERRUPT:
            "The query took longer than \(QueryDeadline.limit.components.seconds) s. Let it read less, or join less."
        case SQLITE_TOOBIG:
            "\(message). A value can have four times the length of the answer, and 64 MiB at most."
        // For a function that the authorizer denies, the code is only that of an error.
        case _ where code & 0xFF == SQLITE_AUTH || message.hasPrefix("not authorized"):
            "\(message). A query may only read json_each, json_tree and its own subqueries, with functions that only compute."
        case _ where message == "malformed JSON":
            "malformed JSON. Where || joins a text and a value, put the value in parentheses: "
                + "'https://x/' || (:body ->> 'id')."
        default: message
        }
    }

    /// One line without control characters, of 300 characters at most. SQLite's messages quote SQL and answers.
    static func plainLine(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(300).map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: " "
            default: Character(scalar)
            }
        }
        return String(scalars)
    }
}
