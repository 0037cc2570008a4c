/// An answer that can't be read. It is a failure of the page or object, never a sign that an object doesn't exist.
package struct SourceReadingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type of error. Callers decide by it, never by the message.
    package enum Code: Sendable, Hashable {
        /// The answer isn't JSON, but for example an HTML page.
        case notJSON
        /// The answer is JSON of another form than the description expects.
        case shape
        /// A query failed on the answer.
        case query
        /// The answer is about another object than the one that was requested, or doesn't say which.
        case identity
        /// The status of the answer is neither a success nor a sign of absence.
        case status
        /// The description doesn't describe the kind.
        case undescribed
    }

    package let code: Code
    /// What is wrong, and what to do. It contains no text of the answer, except for ids.
    package let message: String

    package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// The message.
    package var description: String { message }
}

extension SourceReadingError {
    /// The error for a query that failed on an answer.
    ///
    /// - Parameter place: the query's file and position: `met.yaml:24:10`.
    init(_ failure: SQLFailure, query: String, place: String) {
        self.init(.query, "The query \"\(query)\" (\(place)) failed on the answer: \(failure.message)")
    }
}
