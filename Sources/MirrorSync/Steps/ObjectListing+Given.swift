import Catalogue
import MirrorStore
import OperationTree

extension ObjectListing {
    /// Expands to objects that the run already knows, instead of requesting the partner's list of the kind.
    ///
    /// - Parameter given: the objects that ``SyncEnvironment/feeding(_:isSnapshotLoaded:isUnlisted:)`` passed to the tree: those
    ///   that `since` reported as changed, or those that are fetched by id (``SyncEnvironment/fetch(_:isUnlisted:)``), such as
    ///   the missing objects of a list.
    func expand(_ given: [ObjectItem]) async throws -> Expansion<ObjectItem> {
        try await environment.applier.flush()
        let given = kind == .album ? Self.afterPushing(given, environment.report.current) : given
        let expected = try expected(given)
        environment.report.note { state in
            if state.expected[kind] == nil { state.expected[kind] = expected }
        }
        try environment.forecastIfComplete()
        return Expansion(try ObjectTriage(given, of: kind, environment).items)
    }

    /// Applies to the given albums what this run has pushed since the albums were determined.
    ///
    /// Albums that were deleted on the server are left out. Albums whose edits were pushed are added, and their lists of artworks
    /// are requested again.
    private static func afterPushing(_ items: [ObjectItem], _ report: SyncReport.State) -> [ObjectItem] {
        var pushed = report.pushed.filter { !report.gone.contains(ExactText($0)) }
        let known = items.filter { !report.gone.contains(ExactText($0.id)) }.map { item in
            guard pushed.remove(item.id) != nil else { return item }
            var item = item
            item.lists = nil
            return item
        }
        return known + pushed.sorted().map { ObjectItem(id: $0, isVouched: true) }
    }

    /// The requests that the given objects will need: one for each object that isn't vouched for, and an estimate of the missing
    /// pictures of the others.
    private func expected(_ given: [ObjectItem]) throws -> ExpectedMembers {
        var expected = ExpectedMembers(changed: given.count { !$0.isVouched })
        expected.withoutRequest = given.count - expected.changed
        guard environment.options.media, expected.withoutRequest > 0 else { return expected }
        // The store counts the missing pictures of all objects of the kind. If the given objects may be only some of these
        // objects, they get a proportional part of the pictures.
        let missing = try environment.store.picturesToFetch(
            of: kind, formats: environment.options.pictureFormats)
        let coversAllOwners = missing.owners <= expected.withoutRequest
        expected.pictures =
            coversAllOwners
            ? missing.pictures : missing.pictures * expected.withoutRequest / missing.owners
        return expected
    }
}
