import Catalogue
import MirrorStore
import OperationTree

/// Lists that say nothing about the versions of their objects, of servers that don't say what changed.
extension ObjectListing {
    /// All members: those that aren't stored first, then the one whose last request is the longest ago.
    ///
    /// So a run that a day's budget ends has checked the oldest ones, and the next run goes on with the others.
    func oldestFirst(
        _ draft: ListDraft, isComplete: Bool, leavingOut absent: Set<ExactText>
    ) throws -> Expansion<ObjectItem> {
        let store = environment.store, times = try store.triedTimes(kind)
        let ids = try store.ids(in: draft).filter { !absent.contains(ExactText($0)) }
        let missing = try store.unlisted(kind, among: ids)
        func age(_ id: String) -> (Int, String) {
            missing.contains(ExactText(id)) ? (0, "") : (1, times[ExactText(id)] ?? "")
        }
        let ordered = ids.map { (id: $0, age: age($0)) }.sorted { $0.age < $1.age }.map(\.id)
        environment.report.note { state in
            state.expected[kind] = ExpectedMembers(new: missing.count, undecided: ids.count - missing.count)
        }
        try environment.forecastIfComplete()
        let step = 500
        return Expansion.unfolding(
            (next: 0, items: [ObjectItem]()), count: ids.count, complete: { isComplete }
        ) {
            [environment, kind] cursor in
            while cursor.items.isEmpty {
                guard cursor.next < ordered.count else { return nil }
                let chunk = ordered[cursor.next..<min(cursor.next + step, ordered.count)]
                cursor.next += step
                let members = try environment.store.beside(kind, chunk.map { ($0, nil, nil) })
                cursor.items = try ObjectTriage(members, of: kind, isOfOlderList: false, environment).items
                    .reversed()
            }
            return cursor.items.removeLast()
        }
    }
}
