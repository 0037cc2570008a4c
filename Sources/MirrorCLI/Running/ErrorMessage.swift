import MirrorStore
import MirrorSync

/// Why a command could not do what was asked, in one sentence that says what to do.
struct CommandError: Error, CustomStringConvertible {
    enum Code: Sendable, Hashable {
        /// There is no mirror, or it isn't clear which is meant.
        case noMirror, severalMirrors
        /// The mirror has no such object.
        case notFound
        /// Several albums have the name that was given.
        case severalAlbums
        /// A secret, or a file of certificates, can't be read, stored or used.
        case secret
        /// The system allows this process too few open files or threads.
        case limits
        /// Results, or a file that was asked for, can't be written.
        case output
        /// The file of the features that are switched on can't be read, used or written.
        case options
    }

    let code: Code
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    var description: String { message }
}

/// The text of an error for a person. Errors of this package describe themselves by their message.
enum ErrorMessage {
    static let interrupted = "Interrupted. What was done stays; run the command again to go on."

    /// One line, whatever the error quotes.
    static func of(_ error: any Error) -> String {
        error is CancellationError ? interrupted : "\(error)".printable
    }

    /// Why the delete guard stopped the removal, and how to allow it.
    ///
    /// The number counts everything that would be removed: a smaller one would stop the next run as well. What the server
    /// itself named as deleted may be gone already.
    static func guarded(_ summary: SyncSummary) -> String {
        let named = total(summary.guarded)
        let empty = summary.guarded.filter(\.isEmptyList).map(\.noun)
        let excess = "which is more than the delete guard allows"
        let reason =
            if empty.isEmpty {
                excess
            } else if empty.count == summary.guarded.count {
                "because the list of \(Wording.list(empty)) is empty"
            } else {
                "\(excess), and the list of \(Wording.list(empty)) is empty"
            }
        let kept = summary.hasDeletions ? "none of these was removed" : "nothing was removed"
        return
            "\(shares(summary.guarded)) would go, \(reason), so \(kept). If that is right, run again with --max-delete \(max(named, summary.guardedDeletions))\(empty.isEmpty ? "." : "; a share, even 100%, does not let a whole kind go.")"
    }

    /// The same for a dry run, before it happens.
    ///
    /// - Parameter deletions: how much would be removed in all, objects and members of lists alike.
    static func foreseen(_ intents: [DeleteGuard.Intent], deletions: Int) -> String {
        "The delete guard would stop the removal: \(shares(intents)) would go. If that is right, sync with --max-delete \(max(total(intents), deletions))."
    }

    private static func total(_ intents: [DeleteGuard.Intent]) -> Int {
        intents.reduce(0) { $0 + $1.deletions }
    }

    private static func shares(_ intents: [DeleteGuard.Intent]) -> String {
        Wording.list(
            intents.map { "\(Wording.count($0.deletions)) of \(Wording.count($0.held)) \($0.noun)" })
    }
}
