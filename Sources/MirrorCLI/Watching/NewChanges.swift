import MirrorStore
import MirrorSync
import Synchronization

/// What came into a mirror's change log since it was last looked at.
final class NewChanges: Sendable {
    private let folder: MirrorFolder
    /// The last change that was told; `nil` before the first look.
    private let last = Mutex<Int64?>(nil)

    /// More at once are counted, not told one by one.
    static let most = 500

    init(_ folder: MirrorFolder) { self.folder = folder }

    /// From here on only what comes is told.
    func skip() throws {
        let end = try reading { try $0.lastChange() }
        last.withLock { $0 = end }
    }

    /// The changes since the last look, the oldest first.
    ///
    /// - Returns: of more than ``most`` changes none of them, and that there are more.
    func take() throws -> (changes: [CatalogueChange], isTooMany: Bool) {
        try reading { store in
            // One look at a time: what two find would be told twice.
            try last.withLock { last in
                let from = last ?? 0
                var changes: [CatalogueChange] = []
                var end = from
                do {
                    try store.history(ChangeFilter()) { change in
                        guard change.seq > from else { throw Enough() }
                        end = max(end, change.seq)
                        guard changes.count < Self.most else { throw TooMany() }
                        changes.append(try CatalogueChange(change))
                    }
                } catch is Enough {
                } catch is TooMany {
                    last = end
                    return ([], true)
                }
                last = end
                return (changes.reversed(), false)
            }
        }
    }

    private struct Enough: Error {}
    private struct TooMany: Error {}

    private func reading<Result>(_ body: (CatalogueStore) throws -> Result) throws -> Result {
        let store = try folder.open(readOnly: true)
        // The watch itself folds the log, and not with every page.
        defer { try? store.close(folding: false) }
        return try body(store)
    }
}
