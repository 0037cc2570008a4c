import Foundation
import GRDB

/// An index in memory that is filled from a mirror's database, in steps.
///
/// First artists, whose names artworks are found by: once none came between two looks, which is when a run has them all. Then
/// artworks, as they come.
struct SearchFilling: Sendable {
    enum Progress: Equatable {
        /// All is in, up to this change.
        case ready(change: Int64)
        case goesOn
        /// What is in has changed, or something came in behind what was looked at.
        case spoiled
        /// There is an index, or too much for memory.
        case needless
    }

    let uri = "file:mirror-index-\(UUID().uuidString)?mode=memory&cache=shared"
    let owner: DatabaseQueue
    private let most: Int64
    /// The last change that was looked at.
    private var change: Int64 = 0
    /// What was put in of artworks, by its row, and what their numbers begin behind; `nil` before anything is in.
    private var artworks: (last: Int64, numbered: Int64)?

    /// - Parameter most: rows of a kind beyond which it is needless.
    init(most: Int64) throws {
        var configuration = Configuration()
        configuration.label = "mirror.index"
        configuration.busyMode = .timeout(10)
        owner = try DatabaseQueue(path: uri, configuration: configuration)
        self.most = most
    }

    /// - Parameters:
    ///   - stored: the database's file, as SQLite is told of it.
    ///   - isLast: whether all that is there is to be put in.
    mutating func advance(_ stored: String, isLast: Bool) throws -> Progress {
        var (next, progress) = (self, Progress.needless)
        try owner.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS stored", arguments: [stored])
            defer { try? db.execute(sql: "DETACH stored") }
            try db.inTransaction(.deferred) {
                if try isNeeded(db) { progress = try next.step(db, isLast: isLast) }
                return .commit
            }
        }
        self = next
        return progress
    }

    private func isNeeded(_ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db,
            sql: """
                SELECT ?1 > coalesce((SELECT max(rowid) FROM stored.artwork), 0)
                  AND ?1 > coalesce((SELECT max(rowid) FROM stored.artist), 0)
                  AND NOT EXISTS (SELECT 1 FROM stored.search_entry)
                """, arguments: [most]) ?? false
    }

    private mutating func step(_ db: Database, isLast: Bool) throws -> Progress {
        let (artists, changed) = (try changes(of: .artist, db), try changes(of: .artwork, db))
        let isFirstLook = change == 0
        change = try Int64.fetchOne(db, sql: "SELECT max(seq) FROM stored.change") ?? 0
        if let artworks {
            let came = try put(.artwork, behind: artworks.last, numbered: artworks.numbered, in: db)
            guard artists == 0, came == changed else { return .spoiled }
        } else {
            guard isLast || (!isFirstLook && artists == 0) else { return .goesOn }
            for sql in [Schema.searchEntry, Schema.searchIndex] + SearchText.beginFilling {
                try db.execute(sql: sql)
            }
            try put(.artist, behind: 0, numbered: 0, in: db)
            let numbered = try Int64.fetchOne(db, sql: SearchText.artist.last) ?? 0
            try put(.artwork, behind: 0, numbered: numbered, in: db)
            artworks = (0, numbered)
        }
        artworks?.last = try Int64.fetchOne(db, sql: SearchText.artwork.last) ?? 0
        guard isLast else { return .goesOn }
        try db.execute(sql: SearchText.endFilling)
        return .ready(change: change)
    }

    /// Since the last look.
    private func changes(of kind: ObjectKind, _ db: Database) throws -> Int {
        try Int.fetchOne(
            db, sql: "SELECT count(*) FROM stored.change NOT INDEXED WHERE seq > ? AND kind = ?",
            arguments: [change, kind.rawValue]) ?? 0
    }

    /// - Returns: how many came in. What belongs to no database is looked for in this one first, then in the attached one.
    @discardableResult
    private func put(_ text: SearchText, behind row: Int64, numbered: Int64, in db: Database) throws -> Int {
        try db.execute(sql: text.enterAll, arguments: [numbered, row])
        let count = db.changesCount
        try db.execute(sql: text.insertAll, arguments: [numbered, row])
        return count
    }
}
