import Catalogue
import Foundation
import GRDB

/// What is kept about the mirror as a whole, in the table `meta`.
extension CatalogueStore {
    enum Fact: String {
        case origin, catalogue, extensions, loading, loaded, rebuilt
        case caFile = "ca_file"
        case importedAlbums = "imported_albums"
        case newOrigin = "new_origin"
        case clockOffset = "clock_offset"
        /// The time from which on the change log has everything; absent as long as nothing was cut off it.
        case changeLogStart = "change_log_start"
        /// The last change that was cut off the log, without which no feed of events goes on behind it.
        case changeLogCut = "change_log_cut"
        case flagsRefusedBy = "flags_refused_by"
        case privateLocations = "private_locations"
        case owedKinds = "owed_kinds"
        /// Which media the last sync that fetched any wanted (``CatalogueStore/mediaKey(formats:tiles:)``).
        case wantedMedia = "wanted_media"
        case paused
    }

    func fact(_ fact: Fact) throws -> String? { try read { try Self.fact(fact, in: $0) } }

    static func fact(_ fact: Fact, in db: Database) throws -> String? {
        try db.text("SELECT value FROM meta WHERE key = ?", [fact.rawValue])
    }

    static func set(_ fact: Fact, to value: String?, in db: Database) throws {
        guard let value else { return try db.run("DELETE FROM meta WHERE key = ?", [fact.rawValue]) }
        try db.run(
            """
            INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """, [fact.rawValue, value])
    }

    /// Writes nothing where it is so already.
    private func set(_ fact: Fact, to value: String?) throws {
        guard try self.fact(fact) != value else { return }
        try write { try Self.set(fact, to: value, in: $0) }
    }

    private func has(_ fact: Fact) throws -> Bool { try self.fact(fact) == "1" }

    private func set(_ fact: Fact, to value: Bool) throws { try set(fact, to: value ? "1" : nil) }
}

extension CatalogueStore {
    /// The origin's base URL; `nil` in a mirror made by `import`.
    public var origin: String? { get throws { try fact(.origin) } }

    package func setOrigin(_ base: String) throws { try set(.origin, to: base) }

    /// The file of certificate authorities that vouch for the origin's server; `nil` for the usual ones.
    package var caFile: String? { get throws { try fact(.caFile) } }

    package func setCAFile(_ path: String?) throws { try set(.caFile, to: path) }

    /// Whether nothing is swept, as no sync from a new origin was complete yet.
    package var isNewOrigin: Bool { get throws { try has(.newOrigin) } }

    package func setNewOrigin(_ isNew: Bool) throws { try set(.newOrigin, to: isNew) }

    /// Whether the mirror was made from a catalogue's files, and so accepts writes when served.
    public var isCatalogue: Bool { get throws { try has(.catalogue) } }

    package func setCatalogue(_ isCatalogue: Bool) throws { try set(.catalogue, to: isCatalogue) }

    /// What the catalogue's files said of albums when they were last imported.
    package var importedAlbums: String? { get throws { try fact(.importedAlbums) } }

    package func setImportedAlbums(_ text: String?) throws { try set(.importedAlbums, to: text) }

    /// What the server offered beyond part 1 when it last said so; `nil` if it never did.
    package var extensions: Set<String>? {
        get throws { try fact(.extensions).map { Set($0.split(separator: ",").map(String.init)) } }
    }

    package func setExtensions(_ names: Set<String>) throws {
        try set(.extensions, to: names.sorted().joined(separator: ","))
    }

    /// The server that doesn't take `partner_flags`, once that was reported.
    package var flagsRefusedBy: String? { get throws { try fact(.flagsRefusedBy) } }

    package func setFlagsRefused(by server: String?) throws { try set(.flagsRefusedBy, to: server) }

    /// Whether the list of locations was last taken in with those that are private.
    package var hasPrivateLocations: Bool { get throws { try has(.privateLocations) } }

    package func setPrivateLocations(_ hasThem: Bool) throws { try set(.privateLocations, to: hasThem) }

    /// Whether a snapshot was taken in whole: then nothing is requested in that way again.
    package var isLoaded: Bool { get throws { try has(.loaded) } }

    /// Whether a snapshot is being taken in, or was broken off (``LoadPosition``).
    package var isLoading: Bool { get throws { try fact(.loading) != nil } }

    /// Whether a table that was missing was made again, and no complete run has filled it since: until then nobody knows which
    /// files are needed.
    package var isRebuilt: Bool { get throws { try has(.rebuilt) } }
}

// MARK: - The server's clock

extension CatalogueStore {
    /// By how many seconds the server's clock was ahead of this one when that was last measured; 0 if it never was.
    package var clockOffset: TimeInterval { get throws { try read(Self.clockOffset) } }

    static func clockOffset(in db: Database) throws -> TimeInterval {
        try fact(.clockOffset, in: db).flatMap(TimeInterval.init) ?? 0
    }

    /// Remembers an offset that was measured, where that is news: the server's `Date` has whole seconds.
    package func noteClockOffset(_ measured: TimeInterval) throws {
        guard try abs(measured - clockOffset) >= 2 else { return }
        try set(.clockOffset, to: String(Int(measured.rounded())))
    }
}

// MARK: - A watch that a person has paused

extension CatalogueStore {
    /// Since when `mirror watch` is to begin nothing; `nil` unless a person has it paused.
    package var pausedAt: String? { get throws { try fact(.paused) } }

    /// Has `mirror watch` begin nothing until ``resumeWatch()``, over restarts of it too. Where it is so already, the
    /// time stays.
    ///
    /// - Returns: whether that changed anything.
    package func pauseWatch() throws -> Bool {
        try write { db in
            guard try Self.fact(.paused, in: db) == nil else { return false }
            try Self.set(.paused, to: timestamp(), in: db)
            return true
        }
    }

    /// - Returns: whether it was paused.
    package func resumeWatch() throws -> Bool {
        try write { db in
            guard try Self.fact(.paused, in: db) != nil else { return false }
            try Self.set(.paused, to: nil, in: db)
            return true
        }
    }
}

// MARK: - Kinds that are owed

extension CatalogueStore {
    /// Kinds whose list did not come when the feed's cursor was stored.
    ///
    /// The feed tells of them from there on, and nothing tells what happened to them before: no date may be asked with, and the
    /// next whole sync lists them.
    package var owedKinds: Set<Kind> { get throws { try read { try Self.owedKinds(of: kinds, in: $0) } } }

    package static func owedKinds(of kinds: Kinds, in db: Database) throws -> Set<Kind> {
        let names = try fact(.owedKinds, in: db) ?? ""
        return Set(names.split(separator: ",").compactMap { kinds[String($0)] })
    }
}

extension Deleter {
    /// Notes which kinds are owed at the end of a run that swept, in the transaction that stores the feed's cursor.
    func settleOwedKinds() throws {
        let before = try CatalogueStore.owedKinds(of: log.kinds, in: db)
        let new = request.cursor == nil ? [] : request.owed
        try SinceWriter(db: db).forget(Array(new))
        let owed = before.subtracting(request.settled).union(new)
        guard owed != before else { return }
        let names = owed.map(\.name).sorted().joined(separator: ",")
        try CatalogueStore.set(.owedKinds, to: owed.isEmpty ? nil : names, in: db)
    }
}

extension MirrorFolder {
    /// The server that the mirror is of; nothing also where there is no mirror yet.
    package func rememberedServer() throws -> (origin: String?, caFile: String?) {
        try readingFacts { db in
            try (CatalogueStore.fact(.origin, in: db), CatalogueStore.fact(.caFile, in: db))
        } ?? (nil, nil)
    }

    /// Since when a person has the mirror's watch paused; `nil` if nobody has, or there is no mirror yet.
    package func pausedAt() throws -> String? {
        try readingFacts { try CatalogueStore.fact(.paused, in: $0) } ?? nil
    }

    /// Reads beside programs that have the mirror open; `nil` where there is none yet.
    private func readingFacts<Facts>(_ read: (Database) throws -> Facts) throws -> Facts? {
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
                // A run that was killed at its beginning leaves a database without tables.
                return try queue.read { try $0.tableExists("meta") ? read($0) : nil }
            }
        } catch {
            throw StoreError.of(error, path: database)
        }
    }
}
