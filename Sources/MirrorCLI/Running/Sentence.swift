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
    static func guarded(_ summary: SyncSummary) -> String {
        let total = summary.guarded.reduce(0) { $0 + $1.deletions }
        return
            "\(shares(summary.guarded)) would go, which is more than the delete guard allows, so nothing was removed. If that is right, run again with --max-delete \(total)."
    }

    /// The same, before it happens.
    static func foreseen(_ intents: [DeleteGuard.Intent]) -> String {
        let total = intents.reduce(0) { $0 + $1.deletions }
        return
            "The delete guard would stop the removal: \(shares(intents)) would go. If that is right, sync with --max-delete \(total)."
    }

    private static func shares(_ intents: [DeleteGuard.Intent]) -> String {
        Wording.list(
            intents.map {
                "\(Wording.count($0.deletions)) of \(Wording.count($0.held)) \(Wording.plural($0.kind.rawValue))"
            })
    }
}
