import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Makes a first search index in memory, while the writer does the rest of what ends a run.
///
/// To fill the index takes as long as all that, and both write to one file, where one writes at a time. So it is made
/// beside it from what is committed, in a database of its own in memory, whose tables are then copied as they are, in a
/// fifth of the time. A draft counts only if nothing that it holds has changed since it was made; where anything
/// else stands in its way there is none, and the index is made in its place.
final class SearchDraft: Sendable {
    /// An index that is ready.
    struct Made: Sendable {
        /// By which another connection of this process attaches it, for as long as this value is there.
        let uri: String
        /// The last change that it knows of.
        let change: Int64
        fileprivate let owner: DatabaseQueue
    }

    /// Rows of a kind up to which it is worth the memory, some 400 bytes each.
    static let most: Int64 = 25_000

    private let path: String
    private let queue = DispatchQueue(label: "mirror.index")
    private let made = Mutex<Made?>(nil)

    /// Opens nothing yet.
    init(path: String) { self.path = path }

    /// Begins a draft of what is committed; returns at once.
    func begin() {
        // Without these, a name would be taken for that of a file.
        guard sqlite3_compileoption_used("USE_URI") != 0 else { return }
        queue.async { [self] in
            // What can't be made here is made by whoever asks for it.
            let draft = try? make()
            made.withLock { $0 = draft }
        }
    }

    /// Returns when what was begun has ended.
    func wait() { queue.sync {} }

    /// What was begun, when it has ended; `nil` if there is none. Gives it away.
    func take() -> Made? {
        wait()
        return made.withLock { $0.take() }
    }

    private func make() throws -> Made? {
        guard let stored = DatabaseName.ofExisting(path) else { return nil }
        let uri = "file:mirror-index-\(UUID().uuidString)?mode=memory&cache=shared"
        var configuration = Configuration()
        configuration.label = "mirror.index"
        configuration.busyMode = .timeout(10)
        let owner = try DatabaseQueue(path: uri, configuration: configuration)
        let change = try owner.writeWithoutTransaction { db -> Int64? in
            try db.execute(sql: "ATTACH ? AS stored", arguments: [stored])
            defer { try? db.execute(sql: "DETACH stored") }
            var change: Int64?
            try db.inTransaction(.deferred) {
                change = try fill(db)
                return .commit
            }
            return change
        }
        return change.map { Made(uri: uri, change: $0, owner: owner) }
    }

    /// - Returns: up to which change; `nil` if there is too much for memory.
    private func fill(_ db: Database) throws -> Int64? {
        let isSmall = """
            SELECT ?1 > coalesce((SELECT max(rowid) FROM artwork), 0)
              AND ?1 > coalesce((SELECT max(rowid) FROM artist), 0)
            """
        guard try Bool.fetchOne(db, sql: isSmall, arguments: [Self.most]) == true else { return nil }
        // What belongs to no database is looked for in this one first, then in the one that is attached.
        try db.execute(sql: Schema.searchIndex)
        for sql in SearchText.beginFilling { try db.execute(sql: sql) }
        var last: Int64 = 0
        for text in SearchText.all {
            try db.execute(sql: text.insertAll, arguments: [last])
            last += try Int64.fetchOne(db, sql: text.last) ?? 0
        }
        try db.execute(sql: SearchText.endFilling)
        return try Int64.fetchOne(db, sql: "SELECT coalesce(max(seq), 0) FROM change")
    }
}
