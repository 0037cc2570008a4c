import MirrorStore
import OperationTree

/// Objects of the kind that were given instead of being listed.
extension ObjectListing {
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

    /// Albums were given before this run pushed edits of them.
    private static func afterPushing(_ items: [ObjectItem], _ report: SyncReport.State) -> [ObjectItem] {
        var left = report.pushed.filter { !report.gone.contains(ExactText($0)) }
        let known = items.filter { !report.gone.contains(ExactText($0.id)) }.map { item in
            guard left.remove(item.id) != nil else { return item }
            var item = item
            item.lists = nil
            return item
        }
        return known + left.sorted().map { ObjectItem(id: $0, isVouched: true) }
    }

    /// What is vouched for is looked at all the same: files under it may be missing.
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
