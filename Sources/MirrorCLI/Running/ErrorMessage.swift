import MirrorStore
import MirrorSync

/// An error of a command. Its message says what happened and what to do.
struct CommandError: Error, CustomStringConvertible {
    enum Code: Sendable, Hashable {
        /// There is no mirror, or there are several and none was named.
        case noMirror, severalMirrors
        /// The mirror has no such object.
        case notFound
        /// Several albums have the given name.
        case severalAlbums
        /// A secret, or a file of certificates, can't be read, stored or used.
        case secret
        /// The system allows this process too few open files or threads.
        case limits
        /// The results or an output file can't be written.
        case output
        /// `options.json` can't be read, parsed or written.
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

/// The texts of errors. The description of this package's errors is their message.
enum ErrorMessage {
    static let interrupted = "Interrupted. Finished work is kept. Run the command again to continue."

    /// The message of an error in one printable line.
    static func of(_ error: any Error) -> String {
        error is CancellationError ? interrupted : "\(error)".printable
    }

    /// The message of the delete guard: why it stopped a removal, and how to allow it.
    ///
    /// The number for `--max-delete` counts everything that would be removed: with a smaller one, the next run would be stopped
    /// too. Objects that the server itself reported as deleted may have been removed already.
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
        let result = summary.hasDeletions ? "none of these was removed" : "nothing was removed"
        return
            "\(shares(summary.guarded)) would be removed, \(reason), so \(result). If this removal is right, run again with --max-delete \(max(named, summary.guardedDeletions))\(empty.isEmpty ? "." : "; a share, even 100%, never allows an empty list.")"
    }

    /// The message of the delete guard in a dry run.
    ///
    /// - Parameter deletions: the total number of objects and members of lists that would be removed.
    static func planGuarded(_ intents: [DeleteGuard.Intent], deletions: Int) -> String {
        "The delete guard would stop the removal of \(shares(intents)). If this removal is right, sync with --max-delete \(max(total(intents), deletions))."
    }

    private static func total(_ intents: [DeleteGuard.Intent]) -> Int {
        intents.reduce(0) { $0 + $1.deletions }
    }

    private static func shares(_ intents: [DeleteGuard.Intent]) -> String {
        Wording.list(
            intents.map { "\(Wording.count($0.deletions)) of \(Wording.count($0.held)) \($0.noun)" })
    }
}
