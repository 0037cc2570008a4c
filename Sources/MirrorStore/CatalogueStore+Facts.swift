import GRDB

extension CatalogueStore {
    /// Facts that are kept about the mirror as a whole.
    public enum Fact: String, Sendable {
        /// The origin's base URL; absent in a mirror made by `import`.
        case origin
        /// The file of certificate authorities that vouch for the origin's server; absent for the usual ones.
        case caFile = "ca_file"
        /// `1` if the mirror was made from a catalogue's files, and so accepts writes when served.
        case catalogue
        /// What the catalogue's files said of albums when they were last imported.
        case importedAlbums = "imported_albums"
        /// `1` until a first sync from a new origin is complete: nothing is swept.
        case newOrigin = "new_origin"
        /// How far the server's clock was ahead of this one when that was last measured, in seconds.
        case clockOffset = "clock_offset"
        /// The time from which on the change log has everything; absent as long as nothing was cut off it.
        case changeLogStart = "change_log_start"
        /// The last change that was cut off the log, without which no feed of events goes on behind it.
        case changeLogCut = "change_log_cut"
        /// How far a snapshot was taken in (``LoadPosition``); absent unless one is under way, or was broken off.
        case loading
        /// The server that doesn't take `partner_flags`, once that was reported.
        case flagsRefusedBy = "flags_refused_by"
        /// `1` if the list of locations was last taken in with those that are private.
        case privateLocations = "private_locations"
        /// `1` once a snapshot was taken in whole: then nothing is asked for in that way again.
        case loaded
        /// `1` from when a table that was missing was made again until a whole run has filled it: until then nobody knows
        /// which files are needed.
        case rebuilt
        /// What the server offered beyond part 1 when it last said so, separated by commas; empty for nothing.
        case extensions
        /// Kinds, separated by commas, whose list did not come when the feed's cursor was stored: up to there, the next whole
        /// sync finds out what happened to them. Absent if there are none.
        case owedKinds = "owed_kinds"
    }

    /// All that are kept.
    package func facts() throws -> [Fact: String] {
        try readStatement { db in
            try Row.fetchAll(db.cachedStatement(sql: "SELECT key, value FROM meta")).reduce(into: [:]) {
                facts, row in
                if let fact = Fact(rawValue: row[0]) { facts[fact] = row[1] }
            }
        }
    }

    public func fact(_ fact: Fact) throws -> String? {
        try readStatement {
            try String.fetchOne(
                $0.cachedStatement(sql: "SELECT value FROM meta WHERE key = ?"), arguments: [fact.rawValue])
        }
    }

    public func set(_ fact: Fact, to value: String?) throws {
        try write { try Self.set(fact, to: value, in: $0) }
    }

    static func set(_ fact: Fact, to value: String?, in db: Database) throws {
        guard let value else {
            return try db.execute(sql: "DELETE FROM meta WHERE key = ?", arguments: [fact.rawValue])
        }
        try db.cachedStatement(
            sql: """
                INSERT INTO meta (key, value) VALUES (?, ?)
                ON CONFLICT (key) DO UPDATE SET value = excluded.value
                """
        ).execute(arguments: [fact.rawValue, value])
    }
}

extension MirrorFolder {
    /// A fact of the mirror, read beside programs that have it open; `nil` also where there is no mirror yet.
    package func remembered(_ fact: CatalogueStore.Fact) throws -> String? {
        guard exists else { return nil }
        let file = ReadingFile(database), rows = RowReader(name: file.name)
        do {
            return try file.read {
                defer { try? rows.close() }
                return try rows.read { db in
                    // A run that was killed at its beginning leaves a database without tables.
                    guard try db.tableExists("meta") else { return nil }
                    return try String.fetchOne(
                        db, sql: "SELECT value FROM meta WHERE key = ?", arguments: [fact.rawValue])
                }
            }
        } catch {
            throw StoreError.of(error, path: database)
        }
    }
}
