import Foundation
import MirrorHTTP
import MirrorServer
import MirrorStore
import MirrorSync

/// What a command's end means to a shell. The numbers are promised.
enum ExitStatus: Int32 {
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
        case let error as StoreError: self = Self.status(error.code)
        case let error as SyncError:
            switch (error.code, error.cause) {
            case (.notAuthorised, _): self = .notAuthorised
            case (.storage, let cause as StoreError): self = Self.status(cause.code)
            default: self = .failed
            }
        case let error as HTTPError:
            self = error.code == .notAuthorised || error.code == .forbidden ? .notAuthorised : .failed
        case let error as ServerError: self = error.code == .accessOpen ? .usage : .failed
        default: self = .failed
        }
    }

    /// Ends the program, with what was printed written out.
    ///
    /// Not by `exit`: there OpenSSL, which is under libcurl, gives back what a transport's thread that is about to end may
    /// still use; once in some hundred short runs a finished sync would be told as one that was killed.
    static func leave(_ status: Int32) -> Never {
        fflush(nil)
        _exit(status)
    }

    private static func status(_ code: StoreError.Code) -> ExitStatus {
        switch code {
        case .locked: .locked
        case .invalidName: .usage
        default: .failed
        }
    }
}
