import Catalogue
import Foundation
import GRDB

/// Facts about the mirror as a whole, stored in the table `meta`.
extension CatalogueStore {
    /// A key of the table `meta`.
    enum MetaKey: String {
        case origin, catalogue, extensions, loading, loaded, rebuilt
        case caFile = "ca_file"
        case importedAlbums = "imported_albums"
        case newOrigin = "new_origin"
        case clockOffset = "clock_offset"
        /// The time from which the change log is complete; absent while no entry has been removed from it.
        case changeLogStart = "change_log_start"
        /// The last entry that was removed from the change log. A feed of events can't be continued from an earlier entry.
        case changeLogCut = "change_log_cut"
        case flagsRefusedBy = "flags_refused_by"
        case privateLocations = "private_locations"
        case kindsToListAgain = "owed_kinds"
        /// The media that the last sync with media requested (``CatalogueStore/mediaKey(formats:tiles:)``).
        case wantedMedia = "wanted_media"
        /// The described source (``RememberedSource``), without its base, which is the origin.
        case source
        case paused
        /// The last change of which it is decided what visitors see, and the last that is counted (``ShownHistory``).
        case markedChange = "marked_change"
        case talliedChange = "tallied_change"
        /// The version of the index for searches, lists and filters (``CatalogueStore/searchFormat``).
        case searchFormat = "search_format"
        /// The number of artworks when the index was filled.
        case filled = "search_filled"
    }

    func metaValue(_ key: MetaKey) throws -> String? { try read { try Self.metaValue(key, in: $0) } }

    static func metaValue(_ key: MetaKey, in db: Database) throws -> String? {
        try db.text("SELECT value FROM meta WHERE key = ?", [key.rawValue])
    }

    static func set(_ key: MetaKey, to value: String?, in db: Database) throws {
        guard let value else { return try db.run("DELETE FROM meta WHERE key = ?", [key.rawValue]) }
        try db.run(
            """
            INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """, [key.rawValue, value])
    }

    /// Does nothing if the value is stored already.
    private func set(_ key: MetaKey, to value: String?) throws {
        guard try self.metaValue(key) != value else { return }
        try write { try Self.set(key, to: value, in: $0) }
    }

    private func has(_ key: MetaKey) throws -> Bool { try self.metaValue(key) == "1" }

    private func set(_ key: MetaKey, to value: Bool) throws { try set(key, to: value ? "1" : nil) }
}

extension CatalogueStore {
    /// The origin's base URL; `nil` in a mirror made by `import`.
    public var origin: String? { get throws { try metaValue(.origin) } }

    package func setOrigin(_ base: String) throws { try set(.origin, to: base) }

    /// The file of certificate authorities that are trusted for the origin; `nil` for the system's.
    package var caFile: String? { get throws { try metaValue(.caFile) } }

    package func setCAFile(_ path: String?) throws { try set(.caFile, to: path) }

    /// Whether no sync from a new origin has completed yet; until then nothing is swept.
    package var isNewOrigin: Bool { get throws { try has(.newOrigin) } }

    package func setNewOrigin(_ isNew: Bool) throws { try set(.newOrigin, to: isNew) }

    /// Whether the mirror was imported from a catalogue's files. Such a mirror accepts writes when it is served.
    public var isCatalogue: Bool { get throws { try has(.catalogue) } }

    package func setCatalogue(_ isCatalogue: Bool) throws { try set(.catalogue, to: isCatalogue) }

    /// The albums in the catalogue's files at the last import, as text.
    package var importedAlbums: String? { get throws { try metaValue(.importedAlbums) } }

    package func setImportedAlbums(_ text: String?) throws { try set(.importedAlbums, to: text) }

    /// The extensions of the Partner API that the server listed last; `nil` if it never listed any.
    package var extensions: Set<String>? {
        get throws { try metaValue(.extensions).map { Set($0.split(separator: ",").map(String.init)) } }
    }

    package func setExtensions(_ names: Set<String>) throws {
        try set(.extensions, to: names.sorted().joined(separator: ","))
    }

    /// The server that refused `partner_flags`, so that the refusal is reported only once.
    package var flagsRefusedBy: String? { get throws { try metaValue(.flagsRefusedBy) } }

    package func setFlagsRefused(by server: String?) throws { try set(.flagsRefusedBy, to: server) }

    /// Whether private locations were included when the list of locations was last applied.
    package var hasPrivateLocations: Bool { get throws { try has(.privateLocations) } }

    package func setPrivateLocations(_ hasThem: Bool) throws { try set(.privateLocations, to: hasThem) }

    /// Whether a complete snapshot was loaded. Then no snapshot is requested again.
    package var isLoaded: Bool { get throws { try has(.loaded) } }

    /// Whether a snapshot is being loaded, or its load was interrupted (``LoadPosition``).
    package var isLoading: Bool { get throws { try metaValue(.loading) != nil } }

    /// Whether a missing table was recreated and no complete run has filled it since. Until then it is unknown which files
    /// are needed.
    package var isRebuilt: Bool { get throws { try has(.rebuilt) } }
}

// MARK: - The server's clock

extension CatalogueStore {
    /// How far the server's clock was ahead of the local one at the last measurement, in seconds; 0 if never measured.
    package var clockOffset: TimeInterval { get throws { try read(Self.clockOffset) } }

    static func clockOffset(in db: Database) throws -> TimeInterval {
        try metaValue(.clockOffset, in: db).flatMap(TimeInterval.init) ?? 0
    }

    /// Stores a measured offset if it differs by at least 2 s from the stored one: the server's `Date` has whole seconds.
    package func noteClockOffset(_ measured: TimeInterval) throws {
        guard try abs(measured - clockOffset) >= 2 else { return }
        try set(.clockOffset, to: String(Int(measured.rounded())))
    }
}

// MARK: - Pausing a watch

extension CatalogueStore {
    /// The time at which `mirror watch` was paused; `nil` unless it is paused.
    package var pausedAt: String? { get throws { try metaValue(.paused) } }

    /// Pauses `mirror watch`: it starts no sync until ``resumeWatch()``, even after a restart.
    ///
    /// Idempotent: the time of the first call stays.
    ///
    /// - Returns: whether the watch was not paused before.
    package func pauseWatch() throws -> Bool {
        try write { db in
            guard try Self.metaValue(.paused, in: db) == nil else { return false }
            try Self.set(.paused, to: timestamp(), in: db)
            return true
        }
    }

    /// Ends the pause of `mirror watch`.
    ///
    /// - Returns: whether the watch was paused.
    package func resumeWatch() throws -> Bool {
        try write { db in
            guard try Self.metaValue(.paused, in: db) != nil else { return false }
            try Self.set(.paused, to: nil, in: db)
            return true
        }
    }
}

// MARK: - Kinds to list again

extension CatalogueStore {
    /// Kinds whose list could not be fetched before the feed's cursor was stored.
    ///
    /// The feed reports only later changes of these kinds. Earlier ones are unknown, so the next sync of the whole mirror
    /// requests the complete lists, without a since date.
    package var kindsToListAgain: Set<Kind> {
        get throws { try read { try Self.kindsToListAgain(of: kinds, in: $0) } }
    }

    package static func kindsToListAgain(of kinds: Kinds, in db: Database) throws -> Set<Kind> {
        let names = try metaValue(.kindsToListAgain, in: db) ?? ""
        return Set(names.split(separator: ",").compactMap { kinds[String($0)] })
    }
}

extension Deleter {
    /// Stores which kinds have to be listed again, in the transaction that stores the feed's cursor.
    func settleKindsToListAgain() throws {
        let before = try CatalogueStore.kindsToListAgain(of: log.kinds, in: db)
        let new = request.cursor == nil ? [] : request.toListAgain
        try SinceWriter(db: db).forget(Array(new))
        let kinds = before.subtracting(request.listedAgain).union(new)
        guard kinds != before else { return }
        let names = kinds.map(\.name).sorted().joined(separator: ",")
        try CatalogueStore.set(.kindsToListAgain, to: kinds.isEmpty ? nil : names, in: db)
    }
}

extension MirrorFolder {
    /// The origin's base URL and its file of certificate authorities; `nil` for both if there is no mirror yet.
    package func rememberedServer() throws -> (origin: String?, caFile: String?) {
        try readingMeta { db in
            try (CatalogueStore.metaValue(.origin, in: db), CatalogueStore.metaValue(.caFile, in: db))
        } ?? (nil, nil)
    }

    /// The described source that the mirror is a copy of; `nil` if there is none, or no mirror yet.
    package func rememberedSource() throws -> RememberedSource? {
        try readingMeta(RememberedSource.find) ?? nil
    }

    /// The time at which the mirror's watch was paused; `nil` if it isn't paused, or there is no mirror yet.
    package func pausedAt() throws -> String? {
        try readingMeta { try CatalogueStore.metaValue(.paused, in: $0) } ?? nil
    }

    /// Whether the mirror was imported from a catalogue's files; `false` also if there is no mirror yet.
    package func isCatalogue() throws -> Bool {
        try readingMeta { try CatalogueStore.metaValue(.catalogue, in: $0) == "1" } ?? false
    }

    /// Reads keys while other programs may have the mirror open; returns `nil` if there is no mirror yet.
    private func readingMeta<Values>(_ read: (Database) throws -> Values) throws -> Values? {
        guard exists else { return nil }
        let file = ReadingFile(database)
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        configuration.label = "mirror.facts"
        do {
            return try file.read {
                let queue = try DatabaseQueue(path: file.name, configuration: configuration)
                defer { try? queue.close() }
                // A run that was killed right after it started leaves a database without tables.
                return try queue.read { try $0.tableExists("meta") ? read($0) : nil }
            }
        } catch {
            throw StoreError.of(error, path: database)
        }
    }
}
