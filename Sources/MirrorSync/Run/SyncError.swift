import MirrorHTTP
import MirrorStore
import OperationTree

/// An error that ends a run, with a message that says what to do.
public struct SyncError: RunFailure, CustomStringConvertible {
    /// The sort of an error.
    public enum Code: Sendable, Hashable {
        /// The server doesn't have the partner.
        case unknownPartner
        /// No connection to the server: network, time-out or certificate.
        case unreachable
        /// The server refused the credentials.
        case notAuthorised
        /// The server's answer is unusable.
        case badAnswer
        /// The store can't be read or written.
        case storage
        /// A catalogue's files, or the requested kinds, are invalid.
        case catalogue
        /// More objects changed than are worth requesting one by one; the full lists are requested instead.
        case tooMany
        /// The mirror's server is unknown, or it is another one.
        case otherOrigin
        /// The server still failed after the longest wait.
        case serverFailure
        /// A stored secret, or a file of certificate authorities, can't be read, stored or used.
        case secret
        /// A description of a source can't be used, or lacks what was requested.
        case source
        /// The source doesn't allow further requests for now: the day's budget is used up, or the server blocks requests or requests
        /// a long wait. What was fetched is stored, and a later run continues.
        case paused
        /// The source's service has ended permanently. Nothing was changed.
        case ended
    }

    /// The sort of error.
    public let code: Code
    /// A human-readable message: what happened and what to do. It contains no secret.
    public let message: String
    /// The underlying error; `nil` if there is none.
    public let cause: (any Error)?

    /// An error with a code, a human-readable message, and its cause.
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
            case .dailyBudgetUsedUp, .waitTooLong, .blocked: .paused
            case .serviceEnded: .ended
            default: .badAnswer
            }
        self.init(code, error.message, cause: error)
    }

    /// After which time a run that the source paused may continue; `nil` for other errors.
    var pause: Duration? { code == .paused ? (cause as? HTTPError)?.retryAfter ?? .zero : nil }

    init(_ error: StoreError) { self.init(.storage, error.message, cause: error) }

    /// The message.
    public var description: String { message }
}

/// A failure that a retry in the same run would only repeat.
struct LastingFailure: FinalFailure, CustomStringConvertible {
    let cause: any Error
    var description: String { "\(cause)" }
}

/// A problem with one object, list or file that did not end the run.
public struct Problem: Sendable, Hashable {
    /// The sort of problem, such as `object`, `list`, `file`, `field`, `conflict` or `not offered`.
    public let what: String
    /// The kind's name, or `list`, `image`, `document`; `nil` if the problem belongs to no kind.
    public let kind: String?
    /// The id of the object, or the canonical URL of the list; `nil` if unknown.
    public let id: String?
    /// A human-readable sentence.
    public let message: String

    /// A field of an object that could not be read.
    static let field = "field"
    /// An optional feature that the server doesn't offer, or doesn't offer to this login.
    static let notSupported = "not offered"

    /// Whether the problem is an unsupported optional feature, which is no failure: another run would not fix it.
    package var isNotSupported: Bool { what == Self.notSupported }

    /// Whether the problem is reported but is no failure.
    var isNotice: Bool { what == Self.field || what == Self.notSupported }
}

/// The problems of a run: the first ``limit`` are stored, further ones are only counted.
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

    /// One problem for the log that states the number of problems beyond the limit; empty if there are none.
    static func remarks(on further: Int) -> [Problem] {
        guard further > 0 else { return [] }
        let message = "\(further) more problems were not noted one by one."
        return [Problem(what: "run", kind: nil, id: nil, message: message)]
    }
}
