import Catalogue
import Foundation
import MirrorStore

/// Lists of a server from which nothing may be concluded about the objects that they lack.
extension ObjectListing {
    /// Why objects that a list lacks are not removed.
    enum SweepObstacle {
        /// The list was made before the one last applied, or before a change that was applied since.
        case older
        /// Some of its elements have no usable id.
        case unusable(UnusableElements)
        /// The list lacks private objects, and the stored one had them: the server may only fail to offer them for now.
        case lacksPrivate

        /// Whether the run is incomplete because of it.
        var isFailure: Bool { if case .lacksPrivate = self { false } else { true } }
        var isOlder: Bool { if case .older = self { true } else { false } }
    }

    /// Whether, and why, a list may not be swept.
    ///
    /// - Parameters:
    ///   - madeAt: when the server made the list, in seconds since 1970; `nil` if unknown.
    ///   - storedList: when the stored list was made, if the server answered with a new one.
    func sweepObstacle(
        madeAt: Double?, storedList: Double?, _ unusable: UnusableElements = UnusableElements()
    ) throws -> SweepObstacle? {
        if try isOlder(madeAt, than: storedList) { return .older }
        if !unusable.isEmpty { return .unusable(unusable) }
        return try lacksPrivate() ? .lacksPrivate : nil
    }

    private func isOlder(_ madeAt: Double?, than storedList: Double?) throws -> Bool {
        let applied = environment.originChanged ? nil : try environment.store.appliedDate(kind)
        return [storedList, applied].contains {
            AnswerAge.isOlder(madeAt, than: $0, now: environment.now().timeIntervalSince1970)
        }
    }

    /// Reports why a list may not be swept, and marks the stored list as unclean.
    ///
    /// Objects of the new list are stored, but the list itself isn't. So if the server goes back to the stored list and says
    /// that it is unchanged, its members still have to be processed.
    func report(_ obstacle: SweepObstacle) throws {
        _ = try environment.store.apply([.markListNotClean(kind: kind)], run: environment.run)
        switch obstacle {
        case .lacksPrivate:
            environment.logger.notice(
                "The server's \(name.title) no longer contains the private ones, so nothing that is missing from it is removed in this sync."
            )
        case .unusable(let elements): environment.report.incomplete(name, elements)
        case .older:
            environment.report.problem(
                Problem(
                    what: "older list", kind: kind.name, id: nil,
                    message:
                        "The server's \(name.title) is older than the one last applied, so nothing that is missing from it was removed. The next sync requests it again."
                ))
        }
    }

    /// Whether this is a list of locations without private ones, and the list before it had them.
    ///
    /// Then nothing is removed in this run, which is no failure. The next run sweeps such a list like any other.
    private func lacksPrivate() throws -> Bool {
        guard let parameter = environment.source.list(of: kind)?.fallback?.parameter else { return false }
        let state = environment.report.current, isRefused = state.notSupported.contains(parameter)
        let had = try environment.store.hasPrivateLocations
        if had == isRefused { try environment.store.setPrivateLocations(!isRefused) }
        if had && isRefused { environment.report.note { $0.lacksPrivate = true } }
        return state.lacksPrivate || had && isRefused
    }
}
