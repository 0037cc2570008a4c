import MirrorHTTP
import MirrorStore
import OperationTree

/// Why a run could not go on, in one sentence that says what to do.
public struct SyncError: RunFailure, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        case unknownPartner, unreachable, notAuthorised, badAnswer, storage, catalogue, tooMany, otherOrigin
        /// The retry loop ended without the server being well again.
        case serverTrouble
        /// A stored secret, or a file of certificate authorities, can't be read, stored or used.
        case secret
    }

    public let code: Code
    public let message: String
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    init(_ error: HTTPError) {
        let code: Code =
            switch error.code {
            case .notAuthorised, .forbidden: .notAuthorised
            case .unreachable, .badCertificate, .timedOut, .connectionLost: .unreachable
            default: .badAnswer
            }
        self.init(code, error.message, cause: error)
    }

    init(_ error: StoreError) { self.init(.storage, error.message, cause: error) }

    public var description: String { message }
}

/// A failure that another try in the same run would only repeat.
struct LastingFailure: FinalFailure, CustomStringConvertible {
    let cause: any Error
    var description: String { "\(cause)" }
}

/// Something that went wrong with one object or list while the rest went on.
public struct Problem: Sendable, Hashable {
    public let what: String
    public let kind: String?
    public let id: String?
    /// One sentence for a person.
    public let message: String

    /// A field that could not be taken.
    static let field = "field"
    /// Something optional that the server doesn't offer, or not to this login.
    static let notOffered = "not offered"

    /// Whether it is reported and is no failure: running again would not mend it.
    package var isNotOffered: Bool { what == Self.notOffered }

    var isNotice: Bool { what == Self.field || what == Self.notOffered }
}

/// Problems that are reported one by one, up to ``limit``; those beyond are only counted.
struct ProblemList: Sendable {
    static let limit = 1_000

    private(set) var problems: [Problem] = []
    private(set) var further = 0

    init(_ problems: some Sequence<Problem> = [], further: Int = 0) {
        for problem in problems { add(problem) }
        self.further += further
    }

    var isEmpty: Bool { problems.isEmpty && further == 0 }

    mutating func add(_ problem: Problem) {
        if problems.count < Self.limit { problems.append(problem) } else { further += 1 }
    }

    static func += (list: inout ProblemList, other: ProblemList) {
        for problem in other.problems { list.add(problem) }
        list.further += other.further
    }

    mutating func removeAll(where isSettled: (Problem) -> Bool) { problems.removeAll(where: isSettled) }

    /// A line for the log that stands for the problems beyond the limit; none if there are none.
    static func remarks(on further: Int) -> [Problem] {
        guard further > 0 else { return [] }
        let message = "\(further) more problems were not noted one by one."
        return [Problem(what: "run", kind: nil, id: nil, message: message)]
    }
}
