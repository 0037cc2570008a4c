/// The invariants, with the numbers of the design.
package enum Invariant: Int, Sendable, CaseIterable, Codable {
    /// A history runs to its end. An error that stops it is not a violation of the other invariants.
    case historyCompletes = 0
    case incompleteListsDeleteNothing = 1
    case listedObjectsAreMarked = 2
    case pageAndCursorAreAtomic = 3
    case readersSeeCompleteObjects = 4
    case filesAreIntact = 5
    case killedRunsConverge = 6
    case mirrorEqualsServer = 7
    case unchangedWritesNothing = 8
    case localEditsSurvive = 9
    case secretsStaySecret = 10
    case oneRunAtATime = 11
    case serverDataIsUntrusted = 12
    case reportsAreAccurate = 13
    case budgetIsKept = 14
    case deletionsAreRestorable = 15

    package var sentence: String {
        switch self {
        case .historyCompletes: "A history runs to its end."
        case .incompleteListsDeleteNothing:
            "A list that was not complete in this run never deletes a member."
        case .listedObjectsAreMarked: "What a list contains is marked, whether or not its body came."
        case .pageAndCursorAreAtomic: "A page and its cursor are stored in one transaction."
        case .readersSeeCompleteObjects: "A reader never sees half an object."
        case .filesAreIntact: "A file has its final name only when it is complete."
        case .killedRunsConverge:
            "After a kill at any moment, the next run converges, and fetches nothing again that was committed."
        case .mirrorEqualsServer:
            "After a complete sync with a server that doesn't change, mirror and server have the same content."
        case .unchangedWritesNothing:
            "A sync that finds no changes writes no object row, and with validators sends no request per object."
        case .localEditsSurvive: "Local edits are lost only by a documented conflict rule."
        case .secretsStaySecret: "No log, error, database or argument contains a secret."
        case .oneRunAtATime: "A mirror has at most one run at a time."
        case .serverDataIsUntrusted:
            "No data of a server becomes a path, a shell word, SQL or markup."
        case .reportsAreAccurate: "Messages, summaries and exit codes report what happened."
        case .budgetIsKept:
            "A described catalogue's server gets no more requests in a second and on a day than its description allows."
        case .deletionsAreRestorable: "What a run deleted can be restored."
        }
    }
}

/// An observation that contradicts an invariant.
package struct Violation: Sendable, Hashable, Codable, CustomStringConvertible {
    package let invariant: Invariant
    /// The observation, as a sentence.
    package let what: String

    package init(_ invariant: Invariant, _ what: String) {
        self.invariant = invariant
        self.what = what
    }

    package var description: String { "\(invariant.rawValue). \(invariant.sentence) \(what)" }
}
