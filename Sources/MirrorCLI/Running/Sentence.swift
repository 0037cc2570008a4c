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
    /// The number is that of everything that would go: a smaller one would stop the next run as well.
    static func guarded(_ summary: SyncSummary) -> String {
        let kinds = summary.guarded.map {
            "\(Wording.count($0.deletions)) of \(Wording.count($0.held)) \(Wording.plural($0.kind.rawValue))"
        }
        let named = summary.guarded.reduce(0) { $0 + $1.deletions }
        let empty = summary.guarded.filter { $0.listed == 0 && $0.kind != .document }.map {
            Wording.plural($0.kind.rawValue)
        }
        let reason =
            empty.isEmpty
            ? "which is more than the delete guard allows"
            : "because the list of \(Wording.list(empty)) is empty"
        return
            "\(Wording.list(kinds)) would go, \(reason), so nothing was removed. If that is right, run again with --max-delete \(max(named, summary.guardedDeletions))\(empty.isEmpty ? "." : "; a share, even 100%, does not let a whole kind go.")"
    }
}
