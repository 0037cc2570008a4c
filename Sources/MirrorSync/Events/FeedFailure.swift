import Catalogue
import MirrorHTTP
import MirrorStore
import PeriodicLoops

/// What an error of a loop means for the loop, and for the watch.
enum FeedFailure: Sendable {
    /// Tried again, as the loop's escalation says.
    case passing(LoopFailure)
    /// The loop is over; the watch goes on.
    case over(EventsFeed.Refusal.Kind, String)
    /// The delete guard objected to a refresh.
    case guarded(String)
    /// Only a person can mend it: the watch ends.
    case final(any Error)

    init(_ error: any Error) {
        switch error {
        case let error as GuardObjection: self = .guarded(error.message)
        case let error as EventsFeed.Refusal: self = .over(error.kind, "\(error.cause)")
        case let error as HTTPError:
            if error.code == .notAuthorised {
                self = .final(SyncError(error))
            } else {
                self = .passing(Self.failure(error))
            }
        case let error as SyncError: self.init(error)
        case let error as StoreError: self = .passing(Self.failure(error))
        case let error as LastingFailure: self.init(error.cause)
        case is CancellationError:
            self = .passing(.unreachable("It was broken off. It is tried again later."))
        default:
            self = .passing(LoopFailure(error) ?? .unprocessable("\(error)"))
        }
    }

    private init(_ error: SyncError) {
        switch error.code {
        case .notAuthorised where !Self.isForbidden(error), .otherOrigin: self = .final(error)
        case .unreachable, .serverTrouble, .unknownPartner: self = .passing(.unreachable(error.message))
        default:
            guard let cause = error.cause else {
                self = .passing(.unprocessable(error.message))
                return
            }
            self.init(cause)
        }
    }

    /// A 403 is said of one thing; who may ask at all is another matter.
    private static func isForbidden(_ error: SyncError) -> Bool {
        (error.cause as? HTTPError)?.code == .forbidden
    }

    private static func failure(_ error: HTTPError) -> LoopFailure {
        // What is held back because the server asked for it was not even sent.
        error.isWorthRetry || error.code == .tooManyRequests
            ? .unreachable(error.message, retryAfter: error.retryAfter) : .unprocessable(error.message)
    }

    private static func failure(_ error: StoreError) -> LoopFailure {
        switch error.code {
        case .locked, .diskFull: .unreachable(error.message)
        default: .unprocessable(error.message)
        }
    }
}

/// More would go with a refresh or a page than the delete guard allows.
struct GuardObjection: Error {
    let intents: [DeleteGuard.Intent]

    /// For a run that goes on without what it would remove.
    var problem: Problem { Problem(what: "guard", kind: nil, id: nil, message: message) }

    var message: String {
        let kinds = intents.map { "\($0.deletions) of \($0.held) \($0.noun)" }.joined(separator: ", ")
        return
            "The server's lists would remove \(kinds), which the delete guard does not allow. Look at the server; if it is right, run mirror sync with a higher --max-delete."
    }
}
