import MirrorStore

/// Whether a watch goes on after a sync.
enum WatchVerdict: Sendable {
    case goesOn
    /// It failed in a way that may pass.
    case retries
    /// Only a person can mend it.
    case ends(any Error)
    case cancelled

    /// - Parameter isKnown: whether the mirror has come from this server before. That there is no such partner there then
    ///   says less of the partner than of what stands in front of it, and may pass.
    init(_ summary: SyncSummary, isKnown: Bool) {
        switch summary.outcome {
        case .complete, .partial, .guarded: self = .goesOn
        case .cancelled: self = .cancelled
        case .failed: self = summary.cause.map { Self.judge($0, isKnown: isKnown) } ?? .retries
        }
    }

    private static func judge(_ error: any Error, isKnown: Bool) -> WatchVerdict {
        switch error {
        case let error as SyncError:
            switch error.code {
            case .unknownPartner: return isKnown ? .retries : .ends(error)
            case .notAuthorised, .otherOrigin, .catalogue: return .ends(error)
            default: return (error.cause as? StoreError).map { judge($0, isKnown: isKnown) } ?? .retries
            }
        case let error as StoreError:
            switch error.code {
            case .locked, .diskFull, .unexpected: return .retries
            default: return .ends(error)
            }
        case is CancellationError: return .cancelled
        default: return .retries
        }
    }
}

extension WatchWay {
    /// The cheapest way of a server with these extensions.
    init(_ extensions: Set<String>, hasEvents: Bool) {
        self =
            hasEvents && extensions.contains("events")
            ? .events
            : extensions.contains("since") ? .since : extensions.contains("validators") ? .validators : .tree
    }
}
