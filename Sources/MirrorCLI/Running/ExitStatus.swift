import CatalogueSources
import Foundation
import MirrorHTTP
import MirrorServer
import MirrorStore
import MirrorSync

/// The exit codes of the command. They are part of its interface and never change.
enum ExitStatus: Int32, CaseIterable {
    case complete = 0
    case failed = 1
    /// A dry run with `--exit-code` found changes to make.
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
        case let error as SyncError where error.code == .source: self = .usage
        case let error as SyncError where error.code == .paused: self = .partial
        case let error as SyncError where error.code == .storage && error.cause is StoreError:
            self = error.cause.map(ExitStatus.init(error:)) ?? .failed
        case let error as HTTPError where [.notAuthorised, .forbidden].contains(error.code):
            self = .notAuthorised
        case let error as ServerError where error.code == .accessOpen: self = .usage
        case is SourceDescriptionError: self = .usage
        default: self = .failed
        }
    }

    /// The meaning of each code, for the manual page and the article about exit codes.
    static var meanings: [(code: Int32, meaning: String)] { allCases.map { ($0.rawValue, $0.meaning) } }

    private var meaning: String {
        switch self {
        case .complete: "complete"
        case .failed: "failed: the message says why and what to do; or `verify` found something wrong"
        case .changes: "a dry run with `--exit-code` found changes to make"
        case .partial:
            "partial: an object, a list or a file failed, the rest was done; or a source allows no further requests for now"
        case .guarded: "stopped by the delete guard"
        case .notAuthorised: "not authorised"
        case .locked: "another run is working on this mirror"
        case .usage: "wrong usage, or an error in the description of a source"
        case .interrupted: "interrupted; finished work is kept"
        }
    }

    /// Flushes all output and ends the program.
    ///
    /// It doesn't call `exit`, which makes OpenSSL (used by libcurl) free memory that an ending transport thread may still use.
    /// With `exit`, about 1 % of short runs crashed after a finished sync.
    static func leave(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }
}
