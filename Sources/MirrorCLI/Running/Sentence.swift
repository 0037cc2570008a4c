import MirrorHTTP
import MirrorServer
import MirrorStore
import MirrorSync

/// An error in the words in which a person reads it.
enum Sentence {
    /// One sentence; `nil` for an error that isn't one of ours.
    static func known(_ error: any Error) -> String? {
        switch error {
        case is CancellationError: "Interrupted. What was done stays; run the command again to go on."
        case let error as CommandError: error.message
        case let error as StoreError: error.message
        case let error as SyncError: error.message
        case let error as HTTPError: error.message
        case let error as ServerError: error.message
        default: nil
        }
    }

    static func of(_ error: any Error) -> String { (known(error) ?? "\(error)").printable }

    /// Why the guard stopped a sweep, and how to let it happen.
    ///
    /// The number is that of everything that would go: a smaller one would stop the next run as well. What the server itself
    /// named as deleted may have gone before.
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

    /// The same, before it happens.
    ///
    /// - Parameter deletions: how much would go in all, objects and members of lists alike.
    static func foreseen(_ intents: [DeleteGuard.Intent], deletions: Int) -> String {
        "The delete guard would stop the removal: \(shares(intents)) would go. If that is right, sync with --max-delete \(max(total(intents), deletions))."
    }

    private static func total(_ intents: [DeleteGuard.Intent]) -> Int {
        intents.reduce(0) { $0 + $1.deletions }
    }

    private static func shares(_ intents: [DeleteGuard.Intent]) -> String {
        Wording.list(
            intents.map {
                "\(Wording.count($0.deletions)) of \(Wording.count($0.held)) \($0.noun)"
            })
    }
}
