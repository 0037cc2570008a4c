import Catalogue
import MirrorStore

/// Lists that are not taken for all that the server has.
extension KindListing {
    /// Whether an answer was made before the list that is stored, or before what came past it.
    private func isOlder(_ madeAt: Double?, than list: Double?) throws -> Bool {
        let applied = environment.isSwitch ? nil : try store.appliedDate(kind)
        return [list, applied].contains {
            AnswerAge.isOlder(madeAt, than: $0, now: environment.now().timeIntervalSince1970)
        }
    }

    /// Why a list that came is not taken for all that the server has: nothing that it lacks is removed.
    enum Gap {
        case older
        /// Some of its elements have no usable id.
        case unusable(UnusableElements)
        /// It lacks what is private, where there was a list with that: a server that knew such a list may only be in trouble.
        case lacksPrivate

        /// Whether the run is incomplete because of it.
        var isFailure: Bool { if case .lacksPrivate = self { false } else { true } }
        var isOlder: Bool { if case .older = self { true } else { false } }
    }

    /// - Parameter list: when the list was made that is stored, where another came.
    func gap(
        madeAt: Double?, than list: Double?, _ unusable: UnusableElements = UnusableElements()
    ) throws -> Gap? {
        if try isOlder(madeAt, than: list) { return .older }
        if !unusable.isEmpty { return .unusable(unusable) }
        return try lacksPrivate() ? .lacksPrivate : nil
    }

    /// What such a list brings, the list that is stored doesn't name: that this one is unchanged tells no longer that there
    /// is nothing to sweep.
    func passOver(_ gap: Gap) throws {
        _ = try store.apply([.unclean(kind: kind)], run: environment.run)
        switch gap {
        case .lacksPrivate:
            environment.logger.notice(
                "The \(name.title) came without those that are private, so nothing it lacks is removed this time."
            )
        case .unusable(let elements): environment.report.incomplete(name, elements)
        case .older:
            environment.report.problem(
                Problem(
                    what: "older list", kind: kind.name, id: nil,
                    message:
                        "The \(name.title) was older than what was last applied, so nothing it lacks was removed. The next sync asks again."
                ))
        }
    }

    /// Whether this is a list of locations without those that are private, and the one before had them: that a server doesn't
    /// offer those is no failure, and removes nothing. The next run takes it as it is.
    private func lacksPrivate() throws -> Bool {
        guard kind == .location, environment.plan == nil else { return false }
        let state = environment.report.current, isRefused = state.notOffered.contains("private=true")
        let had = try store.hasPrivateLocations
        try store.setPrivateLocations(!isRefused)
        if had && isRefused { environment.report.note { $0.lacksPrivate = true } }
        return state.lacksPrivate || had && isRefused
    }
}
