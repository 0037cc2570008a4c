/// What must never be false, in the design's words and numbers.
package enum Invariant: Int, Sendable, CaseIterable, Codable {
    /// A history has to come to its end; what broke it off is no finding of the others.
    case goesOn = 0
    case incompleteListsDeleteNothing = 1
    case listedIsMarked = 2
    case pageAndCursorAreOne = 3
    case readersSeeWholeObjects = 4
    case filesAreWhole = 5
    case killedRunsConverge = 6
    case mirrorEqualsServer = 7
    case unchangedWritesNothing = 8
    case editsAreKept = 9
    case secretsAreKept = 10
    case oneRunAtATime = 11
    case nothingIsTrusted = 12
    case outcomesAreTrue = 13

    package var sentence: String {
        switch self {
        case .goesOn: "A history goes on to its end."
        case .incompleteListsDeleteNothing:
            "A list that was not complete in this run never deletes a member."
        case .listedIsMarked: "What a list names is marked, whether or not its body came."
        case .pageAndCursorAreOne: "A page and its cursor are stored in one transaction."
        case .readersSeeWholeObjects: "A reader never sees half an object."
        case .filesAreWhole: "A file has its final name only when it is whole."
        case .killedRunsConverge:
            "Killed at any instant, the next run converges and fetches nothing again that it had committed."
        case .mirrorEqualsServer:
            "After a complete sync with a server at rest, mirror and server hold the same."
        case .unchangedWritesNothing:
            "A sync that finds nothing changed writes no object row, and over validators sends no request per object."
        case .editsAreKept: "Local edits are lost to nothing but a documented conflict rule."
        case .secretsAreKept: "No secret in a log, an error, a database or an argument."
        case .oneRunAtATime: "One run per mirror at a time."
        case .nothingIsTrusted:
            "Nothing that a server says becomes a path, a shell word, SQL, or markup."
        case .outcomesAreTrue: "What a message, a summary or an exit code says is what happened."
        }
    }
}

/// What was found not to hold.
package struct Violation: Sendable, Hashable, Codable, CustomStringConvertible {
    package let invariant: Invariant
    /// What was seen, in a sentence.
    package let what: String

    package init(_ invariant: Invariant, _ what: String) {
        self.invariant = invariant
        self.what = what
    }

    package var description: String { "\(invariant.rawValue). \(invariant.sentence) \(what)" }
}
