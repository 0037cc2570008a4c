import MirrorStore
import OperationTree

extension ObjectListing {
    /// Expands to objects that are already known, instead of requesting the list.
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

    /// Updates the albums by the edits that this run has pushed since they were determined.
    ///
    /// Deleted albums are left out, pushed albums are added, and the lists of pushed albums are requested again.
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

    /// How many of the objects will be requested. Pictures of objects that are vouched for may be missing, so they are
    /// counted, too.
    private func expected(_ given: [ObjectItem]) throws -> ExpectedMembers {
        var expected = ExpectedMembers(changed: given.count { !$0.isVouched })
        expected.lacking = given.count - expected.changed
        guard environment.options.media, expected.lacking > 0 else { return expected }
        let known = try environment.store.picturesToFetch(of: kind, formats: environment.options.formats)
        let isOfAll = known.owners <= expected.lacking
        expected.pictures = isOfAll ? known.pictures : known.pictures * expected.lacking / known.owners
        return expected
    }
}
