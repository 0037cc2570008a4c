import Catalogue
import Foundation
import GRDB
import Synchronization
import Testing

@testable import MirrorStore

@Suite("Databases of earlier versions")
struct MigrationTests {
    /// Creates a mirror with an earlier schema version.
    ///
    /// - Parameters:
    ///   - fill: writes the content of the mirror.
    ///   - body: the test, which gets the path of the database.
    private func withMirror(
        ofFormat format: Int, _ fill: (Database) throws -> Void, then body: (_ path: String) throws -> Void
    ) throws {
        let path = NSTemporaryDirectory() + "mirror-migration-\(UUID().uuidString).sqlite"
        defer {
            for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
        }
        let old = try DatabaseQueue(path: path)
        try Schema.migrator.migrate(old, upTo: "\(format)")
        try old.write(fill)
        try old.close()
        try body(path)
    }

    @Test func aMirrorOfTheFirstVersionIsMigratedWithItsContent() throws {
        try withMirror(ofFormat: 1) { db in
            #expect(try Int32.fetchOne(db, sql: "PRAGMA user_version") == 1)
            try db.execute(sql: "INSERT INTO artist (id, name, json) VALUES ('x', 'X', '{}')")
            try db.execute(
                sql: """
                    INSERT INTO change (run, at, kind, id, action) VALUES (1, '2026-01-01T00:00:00.000Z', 'artist', 'x', 'create')
                    """)
        } then: { path in
            let store = try CatalogueStore.open(at: path)
            defer { try? store.close() }
            #expect(try store.find(.artist, "x")?.summary.name == "X")
            #expect(try store.keptCounts().isEmpty)
            try store.read { (db: Database) throws -> Void in
                #expect(try Int32.fetchOne(db, sql: "PRAGMA user_version") == Schema.version)
                #expect(try Int32.fetchOne(db, sql: "PRAGMA application_id") == Schema.applicationID)
                #expect(try db.columns(in: "change").contains { $0.name == "files" })
                #expect(try Row.fetchAll(db, sql: "PRAGMA integrity_check").count == 1)
            }
        }
    }

    /// Earlier versions didn't store when a document's file was requested.
    @Test func unavailableFilesOfAnOlderMirrorAreCountedAndRequestedAgain() throws {
        try withMirror(ofFormat: 9) { db in
            try db.execute(
                sql: """
                    INSERT INTO show (id) VALUES ('s');
                    INSERT INTO artwork (id) VALUES ('a');
                    INSERT INTO image (pk, id, artwork_id, role, position, image_url, entry, json)
                      VALUES (1, 'i', 'a', 'picture', 0, 'i/larger.jpg', 'e', '{}'),
                        (2, 'j', 'a', 'picture', 1, 'j/larger.jpg', 'e', '{}');
                    INSERT INTO image_file (image, format, hash, entry, fetched_at) VALUES
                      (1, 'larger', NULL, 'e', '2026-01-01T00:00:00.000Z'), (2, 'larger', NULL, '', NULL);
                    INSERT INTO document (id, show_id, uri, json, file_entry) VALUES ('d', 's', '/d.pdf', '{}', 'e');
                    INSERT INTO document (id, show_id, uri, json) VALUES ('f', 's', '/f.pdf', '{}')
                    """)
        } then: { path in
            let time = Mutex(Date(timeIntervalSince1970: 1_767_225_600))  // 2026-01-01
            let store = try CatalogueStore.open(at: path, now: { time.withLock { $0 } })
            defer { try? store.close() }
            // The file of `j` was lost, and that of `f` never requested.
            #expect(try store.unavailableFiles() == UnavailableFiles(images: 1, documents: 1))
            #expect(
                try store.imageFiles(of: Owner(.artwork, "a"), role: .picture)["i"]?["larger"]?.isRecent
                    == true)
            #expect(try store.storedDocuments(of: Owner(.show, "s")).map(\.hasFile) == [false, false])
            #expect(try store.ownersOfDueFiles(.show, formats: .largest) == ["s"])
            time.withLock { $0 += 86_401 }
            #expect(try store.ownersOfDueFiles(.artwork, formats: .largest) == ["a"])
        }
    }

    @Test func thePicturesOfAnOlderMirrorKeepTheirAddresses() throws {
        try withMirror(ofFormat: 10) { db in
            try db.execute(
                sql: """
                    INSERT INTO artwork (id) VALUES ('a');
                    INSERT INTO image (id, artwork_id, role, position, image_url, image_versions, entry, json)
                      VALUES ('i', 'a', 'picture', 0, 'i/larger.jpg', '["square"]', 'e', '{}')
                    """)
        } then: { path in
            let store = try CatalogueStore.open(at: path)
            defer { try? store.close() }
            let address = try #require(
                try store.storedImages(of: Owner(.artwork, "a"), role: .picture).first?.address)
            #expect(address == ImageAddress(template: "i/larger.jpg", versions: ["square"]))
            #expect(try store.ownersMissingFiles(.artwork, ids: ["a"], formats: .largest) == ["a"])
        }
    }

    /// The default formats are others since version 13.
    @Test(
        arguments: [
            (nil, true, "default"), ("square", true, "square"), ("default+tiles", true, "default+tiles"),
            (nil, false, nil),
        ] as [(String?, Bool, String?)])
    func anOlderMirrorWithPicturesKeepsItsFormats(clean: String?, hasFiles: Bool, kept: String?) throws {
        try withMirror(ofFormat: 11) { db in
            try db.execute(
                sql: """
                    INSERT INTO list (url, owner_kind, owner_id, name, clean_formats)
                      VALUES ('/artworks', 'partner', 'p', 'artworks', ?)
                    """, arguments: [clean])
            guard hasFiles else { return }
            try db.execute(
                sql: """
                    INSERT INTO artwork (id) VALUES ('a');
                    INSERT INTO image (pk, id, artwork_id, role, position, entry, json)
                      VALUES (1, 'i', 'a', 'picture', 0, 'e', '{}');
                    INSERT INTO file (hash, size, path) VALUES ('h', 1, 'media/h');
                    INSERT INTO image_file (image, format, hash, entry) VALUES (1, 'larger', 'h', 'e')
                    """)
        } then: { path in
            let store = try CatalogueStore.open(at: path)
            defer { try? store.close() }
            #expect(try store.wantedFormats() == kept)
            #expect(try store.rememberedFormats() == kept.map { CatalogueStore.wantedMedia($0).formats })
        }
    }

    /// Its search index was up to date and empty, as shows and locations were not in it.
    @Test func theShowsOfAnOlderMirrorWithoutArtworksAreListed() throws {
        try withMirror(ofFormat: 12) { db in
            try db.execute(
                sql: """
                    INSERT INTO show (id, name, json) VALUES ('s', 'Show', '{"id":"s","name":"Show"}');
                    INSERT INTO location (id, name, json) VALUES ('l', 'Room', '{"id":"l","name":"Room"}');
                    INSERT INTO change (run, at, kind, id, action) VALUES
                      (1, '2026-01-01T00:00:00.000Z', 'show', 's', 'create'),
                      (1, '2026-01-01T00:00:00.000Z', 'location', 'l', 'create');
                    INSERT INTO meta (key, value) VALUES ('indexed_change', 2)
                    """)
        } then: { path in
            let store = try CatalogueStore.open(at: path)
            defer { try? store.close() }
            #expect(try store.names(.show, for: .visitors).items.map(\.id) == ["s"])
            #expect(try store.names(.location, for: .visitors).total == 1)
            #expect(try !store.isIndexBehind())
            try store.check(.search) { Issue.record("\($0)") }
        }
    }

    @Test func theRememberedFormatsOfAnOlderMirrorAreNotReplaced() throws {
        try withMirror(ofFormat: 11) { db in
            try db.execute(
                sql: """
                    INSERT INTO meta (key, value) VALUES ('wanted_media', 'normalized');
                    INSERT INTO artwork (id) VALUES ('a');
                    INSERT INTO image (pk, id, artwork_id, role, position, entry, json)
                      VALUES (1, 'i', 'a', 'picture', 0, 'e', '{}');
                    INSERT INTO image_file (image, format, entry) VALUES (1, 'larger', 'e')
                    """)
        } then: { path in
            let store = try CatalogueStore.open(at: path)
            defer { try? store.close() }
            #expect(try store.rememberedFormats() == ["normalized"])
        }
    }

    @Test func aNewMirrorHasAllMigrationsRecordedAsDone() throws {
        let queue = try DatabaseQueue()
        try Schema.prepare(queue)
        #expect(try queue.read(Schema.migrator.hasCompletedMigrations))
        let isMarked = try queue.read { db in
            try (
                Int32.fetchOne(db, sql: "PRAGMA user_version"),
                Int32.fetchOne(db, sql: "PRAGMA application_id")
            )
                == (Schema.version, Schema.applicationID)
        }
        #expect(isMarked)
    }

    /// Another program creates that table first. It may be killed, or still be working, afterwards.
    @Test func aDatabaseThatHasOnlyTheTableOfMigrationsIsEmpty() throws {
        let queue = try DatabaseQueue()
        try queue.write {
            try $0.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        }
        try Schema.prepare(queue)
        #expect(try queue.read(Schema.migrator.hasCompletedMigrations))
    }

    /// Without a write-ahead log, SQLite uses a rollback journal. Only a connection that may write can roll it back.
    @Test func aMirrorWhoseMigrationWasKilledIsRolledBackAndMigrated() throws {
        let path = NSTemporaryDirectory() + "mirror-migration-\(UUID().uuidString).sqlite"
        let killed = path + ".killed"
        defer {
            for end in ["", "-journal", ".killed", ".killed-journal", ".killed-wal", ".killed-shm"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        let old = try DatabaseQueue(path: path)
        try Schema.migrator.migrate(old, upTo: "1")
        try old.inDatabase { db in
            // A small cache makes SQLite write pages before the transaction ends.
            try db.execute(sql: "PRAGMA cache_size = 1; BEGIN IMMEDIATE")
            for number in 0..<2_000 {
                try db.execute(
                    sql: "INSERT INTO change (at, kind, id, action) VALUES ('', 'artist', ?, 'create')",
                    arguments: ["\(number)"])
            }
            for end in ["", "-journal"] {
                try FileManager.default.copyItem(atPath: path + end, toPath: killed + end)
            }
            try db.execute(sql: "ROLLBACK")
        }
        try old.close()
        let store = try CatalogueStore.open(at: killed)
        defer { try? store.close() }
        try store.read { (db: Database) throws -> Void in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM change") == 0)
            #expect(try Int32.fetchOne(db, sql: "PRAGMA user_version") == Schema.version)
        }
    }

    @Test func decreasingTimesInTheChangeLogAreCorrectedByMigration() throws {
        try withMirror(ofFormat: 2) { db in
            for second in [3, 5, 1, 4, 6] {
                try db.execute(
                    sql: "INSERT INTO change (at, kind, id, action) VALUES (?, 'artist', 'x', 'update')",
                    arguments: ["2026-01-01T00:00:0\(second).000Z"])
            }
        } then: { path in
            let store = try CatalogueStore.open(at: path)
            defer { try? store.close() }
            let seconds = try store.read {
                try String.fetchAll($0, sql: "SELECT substr(at, 19, 1) FROM change")
            }
            #expect(seconds == ["3", "5", "5", "5", "6"])
        }
    }

    @Test func artworksAddedToAnAlbumOfAnOlderMirrorAreNotInTheServersList() throws {
        try withMirror(ofFormat: 5) { db in
            try db.execute(sql: "INSERT INTO album (id) VALUES ('m')")
            for (position, pending) in [nil, "add", "remove"].enumerated() {
                try db.execute(sql: "INSERT INTO artwork (id) VALUES (?)", arguments: ["\(position)"])
                try db.execute(
                    sql:
                        "INSERT INTO album_artwork (album_id, position, artwork_id, pending) VALUES ('m', ?1, ?1, ?2)",
                    arguments: [position, pending])
            }
        } then: { path in
            let error = #expect(throws: StoreError.self) { try CatalogueStore.open(at: path, readOnly: true) }
            #expect(error?.code == .readOnly && error?.message.contains("earlier version") == true)
            let store = try CatalogueStore.open(at: path)
            defer { try? store.close() }
            #expect(try store.members(of: Owner(.album, "m")) == ["0", "2"])
            // The older mirror doesn't show whether the server received the edits.
            #expect(try store.editAlbum("m", artwork: "1", present: false, newKey: { "key" }))
            #expect(try store.pendingAlbums().first?.removed == ["1", "2"])
        }
    }

    /// After the time-out, the remaining migrations are determined again.
    @Test(arguments: [0, 3, 6]) func aMigrationIsRetriedIfAnotherProgramHoldsTheLockPastTheBusyTimeout(
        format: Int
    ) throws {
        let path = NSTemporaryDirectory() + "mirror-migration-\(UUID().uuidString).sqlite"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        if format > 0 { try Schema.migrator.migrate(other, upTo: "\(format)") }
        try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let waits = Atomic(0)
        configuration.busyMode = .callback { _ in
            if waits.add(1, ordering: .relaxed).newValue == 1 {
                try? other.inDatabase { try $0.execute(sql: "ROLLBACK") }
            }
            return false
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try Schema.prepare(queue)
        #expect(waits.load(ordering: .relaxed) == 1)
        #expect(try queue.read(Schema.migrator.hasCompletedMigrations))
        #expect(try queue.read { try Int32.fetchOne($0, sql: "PRAGMA user_version") } == Schema.version)
    }

    @Test func keptObjectsAndProblemsOfARunAreFoundByAnIndex() throws {
        let test = try TestStore()
        let plans = try test.store.read { db in
            try Self.expected.map { sql, _ in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
                    .joined(separator: "\n")
            }
        }
        for (plan, (sql, index)) in zip(plans, Self.expected) {
            #expect(plan.contains(index), "\(sql)")
        }
    }

    private static let expected = [
        ("SELECT count(*) FROM artwork WHERE kept = 1", "INDEX artwork_kept"),
        ("SELECT count(*) FROM artwork", "COVERING INDEX"),
        ("SELECT count(*) FROM sync_error WHERE run = 1", "INDEX sync_error_of_run"),
        (
            "SELECT action FROM change WHERE kind = 'a' AND id = 'b' AND seq > 3 ORDER BY seq LIMIT 1",
            "change_of_object (kind=? AND id=? AND rowid>?)"
        ),
    ]

    /// A migration that one connection has done fails for the others, which must continue.
    @Test(arguments: [0, 1, 3, 7]) func aMirrorCanBeCreatedOrMigratedBySeveralConnectionsAtTheSameTime(
        format: Int
    ) async throws {
        for round in 0..<4 {
            let path = NSTemporaryDirectory() + "mirror-migrations-\(UUID().uuidString)-\(round).sqlite"
            defer {
                for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
            }
            if format > 0 {
                let old = try DatabaseQueue(path: path)
                try Schema.migrator.migrate(old, upTo: "\(format)")
                try old.close()
            }
            try await withThrowingTaskGroup(of: CatalogueStore.self) { group in
                for _ in 0..<3 { group.addTask { try CatalogueStore.open(at: path) } }
                for try await store in group {
                    #expect(try store.counts().values.allSatisfy { $0 == 0 })
                    let version = try store.read { try Int32.fetchOne($0, sql: "PRAGMA user_version") }
                    #expect(version == Schema.version)
                    try store.close(checkpointing: false)
                }
            }
        }
    }
}
