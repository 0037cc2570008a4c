import Foundation
import MirrorHTTP
import MirrorServer
import MirrorStore
import MirrorSync

/// What a command's end means to a shell. The numbers are promised.
enum ExitStatus: Int32, CaseIterable {
    case complete = 0
    case failed = 1
    /// A dry run found changes to make, and was asked to say so.
    case changes = 2
    case partial = 3
    case guarded = 4
    case notAuthorised = 5
    case locked = 6
    case usage = 64
    case interrupted = 130

    init(_ summary: SyncSummary) {
        switch summary.outcome {
        case .complete: self = .complete
        case .partial: self = .partial
        case .guarded: self = .guarded
        case .cancelled: self = .interrupted
        case .failed: self = summary.cause.map(ExitStatus.init(error:)) ?? .failed
        }
    }

    init(error: any Error) {
        switch error {
        case is CancellationError: self = .interrupted
        case let error as StoreError where error.code == .locked: self = .locked
        case let error as StoreError where error.code == .invalidName: self = .usage
        case let error as SyncError where error.code == .notAuthorised: self = .notAuthorised
        case let error as SyncError where error.code == .storage && error.cause is StoreError:
            self = error.cause.map(ExitStatus.init(error:)) ?? .failed
        case let error as HTTPError where [.notAuthorised, .forbidden].contains(error.code):
            self = .notAuthorised
        case let error as ServerError where error.code == .accessOpen: self = .usage
        default: self = .failed
        }
    }

    /// What each code means, in the words of the manual page and the article about exit codes.
    static var meanings: [(code: Int32, meaning: String)] { allCases.map { ($0.rawValue, $0.meaning) } }

    private var meaning: String {
        switch self {
        case .complete: "complete"
        case .failed: "failed: the message says why and what to do; or `verify` found something wrong"
        case .changes: "a dry run with `--exit-code` found changes to make"
        case .partial: "partial: an object, a list or a file failed, the rest was done"
        case .guarded: "stopped by the delete guard"
        case .notAuthorised: "not authorised"
        case .locked: "another run is working on this mirror"
        case .usage: "wrong usage"
        case .interrupted: "interrupted; what was done stays"
        }
    }

    /// Ends the program, with all printed output written.
    ///
    /// `exit` is not used: it would have OpenSSL, which libcurl uses, free what a transport's thread that is about to end
    /// may still use. In about one of a hundred short runs a finished sync would be reported as killed.
    static func leave(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }
}
