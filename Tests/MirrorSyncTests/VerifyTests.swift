import Catalogue
import Foundation
import GRDB
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

private typealias State = FakePartner.State

@Suite("Verifying a mirror", .fewAtATime)
struct VerifyTests {
    let partner = FakePartner { state in
        state.extensions = ["validators"]
        state.artist("x")
        for (id, byte) in [("a", 1), ("b", 2), ("c", 3)] as [(String, UInt8)] {
            state.artwork(id, artist: "x", image: "i\(id)")
            state.files["/artwork/\(id)/image/i\(id)/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, byte, 2, 3]
        }
        state.album("m", ["b", "a"])
        state.show("s", ["a"])
    }

    private func mirror() async throws -> TestMirror {
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync().outcome == .complete)
        return mirror
    }

    @Test func verifyFindsNothingInANewMirror() async throws {
        let mirror = try await mirror()
        let (summary, findings) = try await mirror.verify { $0.readData = .all }
        #expect(findings == [] && summary.outcome == .complete)
        #expect(
            summary.files == 3 && summary.filesRead == 3 && summary.bytes == 21 && summary.bytesRead == 21)
        #expect(summary.checks == StoreCheck.allCases.count)
    }

    @Test func verifyFindsMissingChangedAndStrayFiles() async throws {
        let mirror = try await mirror()
        try mirror.breakFiles()
        let (quick, found) = try await mirror.verify()
        #expect(quick.outcome == .findings)
        #expect(
            found == ["found length image ia", "found missing image ic", "found stray media/stray.jpg"])
        // A file with the same length and other bytes is found only by reading it.
        let (_, read) = try await mirror.verify { $0.readData = .all }
        #expect(read.contains("found digest image ib") && read.count == 4)
    }

    @Test func aRepairDownloadsDamagedFilesAgain() async throws {
        let mirror = try await mirror()
        try mirror.breakFiles()
        _ = partner.takeRequests()
        let (summary, _) = try await mirror.verify { ($0.readData, $0.repair) = (.all, true) }
        #expect(summary.outcome == .repaired, "\(summary.remaining) \(summary.failure ?? "")")
        #expect(summary.findings == 4 && summary.remaining.isEmpty)
        #expect(partner.takeRequests().filter { $0.hasSuffix("larger.jpg") }.count == 3)
        let (again, findings) = try await mirror.verify { $0.readData = .all }
        #expect(again.outcome == .complete && findings == [] && again.files == 3)
    }

    @Test func aFileThatCannotBeDownloadedAgainRemainsAFinding() async throws {
        let mirror = try await mirror()
        let file = try mirror.file(of: "a")
        try FileManager.default.removeItem(atPath: file)
        partner.change { $0.overrides["/artwork/a/image/ia/larger.jpg"] = .text("{}", status: 500) }
        let (summary, findings) = try await mirror.verify { $0.repair = true }
        #expect(summary.outcome == .findings && summary.remaining == [.missing: 1])
        #expect(findings == ["found missing image ia", "remains missing artwork a"])
        // The next verification reports the file as well, and the next sync downloads it.
        #expect(try await mirror.verify().findings == ["found missing artwork a"])
        partner.change { $0.overrides = [:] }
        try await mirror.sync()
        #expect(try await mirror.verify().findings == [])
    }

    /// The run ended between the lists and their objects. Memberships and the search index are only updated at its end.
    @Test func unfinishedWorkOfAnInterruptedRunIsNotAFinding() async throws {
        let mirror = try await mirror()
        #expect(try await !mirror.verify().summary.isInterrupted)
        try mirror.tamper(
            "UPDATE sync_log SET outcome = NULL, ended_at = NULL",
            "DELETE FROM change WHERE kind = 'artwork'",
            "DELETE FROM album_artwork; DELETE FROM show_artwork", "DELETE FROM artwork WHERE id = 'c'",
            "DELETE FROM search_entry WHERE id = 'b'",
            "UPDATE meta SET value = 0 WHERE key = 'indexed_change'",
            "UPDATE list SET pending = 1 WHERE name = 'artworks' AND owner_kind <> 'partner'")
        let (summary, findings) = try await mirror.verify()
        #expect(summary.isInterrupted)
        #expect(!findings.contains { $0.hasPrefix("found list artwork") || $0.hasPrefix("found search") })
        #expect(try mirror.read { try $0.isIndexBehind() })
        try await mirror.sync()
        #expect(try mirror.read { try !$0.isIndexBehind() })
        #expect(try await !mirror.verify().summary.isInterrupted)
    }

    @Test func aRepairRemovesStrayFilesWithoutRequests() async throws {
        let mirror = try await mirror()
        let folder = try mirror.mirror.path
        try FileManager.default.createDirectory(
            atPath: "\(folder)/media/.partial", withIntermediateDirectories: true)
        for (name, days) in [("old", 2.0), ("new", 0.5)] {
            let path = "\(folder)/media/.partial/\(name)"
            #expect(FileManager.default.createFile(atPath: path, contents: Data()))
            try FileManager.default.setAttributes(
                [.modificationDate: TestMirror.now.addingTimeInterval(-days * 86_400)], ofItemAtPath: path)
        }
        _ = partner.takeRequests()
        let (summary, findings) = try await mirror.verify { $0.repair = true }
        #expect(findings == ["found stray media/.partial/old"] && summary.outcome == .repaired)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/media/.partial") == ["new"])
        #expect(partner.takeRequests() == [])
    }

    // MARK: - The database

    @Test func danglingReferencesAreFoundAndRepaired() async throws {
        let mirror = try await mirror()
        try mirror.tamper("DELETE FROM artwork WHERE id = 'a'", "DELETE FROM image WHERE artwork_id = 'b'")
        let (_, found) = try await mirror.verify()
        #expect(found.contains("found reference artwork a") && found.contains("found list artwork a"))
        #expect(found.contains("found picture artwork b"))
        let (summary, _) = try await mirror.verify { $0.repair = true }
        #expect(summary.outcome == .repaired, "\(summary.remaining)")
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"] && mirror.ghosts(.artwork) == [])
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["b", "a"])
        #expect(try await mirror.verify { $0.readData = .all }.findings == [])
    }

    private static let damages: [(sql: String, finding: String)] = [
        ("DELETE FROM list_member WHERE id = 'b'", "found list /partner/p/artworks?ids=1&size=all"),
        ("DELETE FROM album_artwork WHERE artwork_id = 'a'", "found list album m"),
        ("DELETE FROM show_artwork", "found list show s"),
        ("UPDATE artwork SET served_etag = NULL WHERE id = 'c'", "found object artwork c"),
        ("UPDATE artwork SET json = NULL WHERE id = 'c'", "found object artwork c"),
        ("UPDATE artist SET json = '{' WHERE id = 'x'", "found object artist x"),
        ("DELETE FROM search_entry WHERE id = 'c'", "found search artwork c"),
        ("INSERT INTO search_entry (kind, id) VALUES ('artist', 'q')", "found search artist q"),
        (
            "DELETE FROM search WHERE rowid = (SELECT number FROM search_entry WHERE id = 'a')",
            "found search artwork a"
        ),
        ("UPDATE search_data SET block = x'00' WHERE id > 10", "found search"),
        (
            "INSERT INTO artwork (id, title, json, served_etag) VALUES ('z', 'Z', '{\"id\":\"z\"}', '\"e\"')",
            "found list artwork z"
        ),
        (
            "INSERT INTO list (url, owner_kind, owner_id, name, complete) VALUES ('/q', 'show', 'q', 'artworks', 1)",
            "found list show q"
        ),
        ("DELETE FROM album WHERE id = 'm'", "found reference album m"),
        ("DROP INDEX artwork_refetch; DROP TRIGGER image_file_gone", "found database"),
        ("DELETE FROM list", "found reference list"),
        ("UPDATE file SET released_at = '2026-11-01T00:00:00.000Z'", "found released"),
        (
            "INSERT INTO file (hash, size, path, released_at) VALUES ('00', 0, 'media/00/00', '2026-01-01T00:00:00.000Z')",
            "found released"
        ),
    ]

    @Test(arguments: damages.indices)
    func anInconsistentDatabaseIsFoundAndRepaired(index: Int) async throws {
        let (sql, finding) = Self.damages[index]
        let mirror = try await mirror()
        try mirror.tamper(sql)
        let (summary, found) = try await mirror.verify()
        #expect(summary.outcome == .findings)
        #expect(found.contains { $0.hasPrefix(finding) }, "\(found)")
        let (repair, _) = try await mirror.verify { $0.repair = true }
        #expect(repair.outcome == .repaired, "\(repair.remaining) \(repair.failure ?? "")")
        #expect(try await mirror.verify().findings == [])
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
    }

    /// A mirror on a read-only disk, for example in an archive.
    @Test(arguments: [nil, "UPDATE search_data SET block = x'00' WHERE id > 10"] as [String?])
    func theSearchIndexIsCheckedWithoutWriting(damage: String?) async throws {
        let mirror = try await mirror()
        if let damage { try mirror.tamper(damage) }
        let path = try mirror.mirror.database, before = FileManager.default.contents(atPath: path)
        let store = try CatalogueStore.open(at: path, readOnly: true)
        defer { try? store.close() }
        var found: [StoreDefect] = []
        try store.check(.search) { found.append($0) }
        #expect(found == (damage == nil ? [] : [.indexDamaged]))
        #expect(FileManager.default.contents(atPath: path) == before)
    }

    @Test(arguments: [
        "note", "rival", "artwork", "album_artwork", "file", "image_file", "list", "search", "since",
    ])
    func aMissingTableIsCreatedAndFilledAgain(table: String) async throws {
        let mirror = try await mirror()
        try mirror.tamper("DROP TABLE \(table)")
        let (summary, found) = try await mirror.verify()
        #expect(found == ["found database"] && summary.failure?.contains("verify --repair") == true)
        let (repair, _) = try await mirror.verify { ($0.repair, $0.readData) = (true, .all) }
        #expect(repair.outcome == .repaired, "\(repair.remaining) \(repair.failure ?? "")")
        #expect(try await mirror.verify { $0.readData = .all }.findings == [])
        #expect(try mirror.ids(.artwork) == ["a", "b", "c"])
        #expect(try mirror.read { try $0.members(of: Owner(.album, "m")) } == ["b", "a"])
    }

    @Test func aRepairWithoutAServerReportsTheRemainingFindings() async throws {
        let mirror = try await mirror()
        try mirror.breakFiles()
        partner.change { $0.overrides["/partner/p/all"] = .text("{}", status: 404) }
        let (summary, findings) = try await mirror.verify { $0.repair = true }
        #expect(summary.outcome == .findings && summary.failure?.contains("knows no partner") == true)
        #expect(summary.found == [.length: 1, .missing: 1, .stray: 1])
        // The damaged file is kept until there is an intact one.
        #expect(summary.remaining == [.damaged: 1, .missing: 1])
        #expect(findings.suffix(2) == ["remains damaged image ia", "remains missing artwork c"])
    }

    // MARK: - Start and end

    @Test func verifyFailsWhileAnotherRunHoldsTheLock() async throws {
        let mirror = try await mirror()
        let lock = try RunLock(mirror.mirror)
        await #expect {
            _ = try await mirror.verify()
        } throws: {
            ($0 as? StoreError)?.code == .locked
        }
        _ = lock
    }

    @Test func verifyDoesNotCreateAMissingMirror() async throws {
        let mirror = try TestMirror(partner)
        await #expect {
            _ = try await mirror.verify()
        } throws: {
            ($0 as? StoreError)?.code == .noSuchMirror
        }
        #expect(try !FileManager.default.fileExists(atPath: mirror.mirror.path))
    }

    @Test func verifyReportsTotalsBeforeItStartsCounting() async throws {
        let mirror = try await mirror()
        try mirror.breakFiles()
        let seen = Mutex<[VerifyMonitor.Progress]>([])
        let reached = Mutex<VerifyMonitor?>(nil)
        let monitor = VerifyMonitor { _ in
            if let progress = reached.withLock({ $0 })?.progress { seen.withLock { $0.append(progress) } }
        }
        reached.withLock { $0 = monitor }
        _ = try await mirror.verify(monitor) { $0.readData = .all }
        reached.withLock { $0 = nil }
        let all = seen.withLock { $0 } + [monitor.progress]
        #expect(all.count == 5)
        #expect(all.allSatisfy { $0.filesTotal == 3 && $0.bytesTotal == 21 && $0.checksTotal == 8 })
        #expect(all.allSatisfy { $0.files <= 3 && $0.bytes <= 21 })
        #expect(monitor.progress.files == 3 && monitor.progress.bytes == 21 && monitor.progress.checks == 8)
    }
}

extension TestMirror {
    static let now = Date(timeIntervalSince1970: 1_795_000_000)

    /// Verifies the mirror and returns the findings as text: `found missing image i`, `remains …`. With a monitor of the test's
    /// own, the findings are empty.
    func verify(
        _ ownMonitor: VerifyMonitor? = nil, _ change: (inout VerifyOptions) -> Void = { _ in }
    ) async throws -> (summary: VerifySummary, findings: [String]) {
        var options = VerifyOptions()
        options.seed = 1
        change(&options)
        var syncOptions = SyncOptions()
        syncOptions.synchronous = true
        let partner = partner
        let sync = Sync(partner: "p", folder: try mirror, options: syncOptions, now: { Self.now }) {
            base, cache in
            try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
        }
        let findings = Mutex<[String]>([])
        let monitor =
            ownMonitor
            ?? VerifyMonitor { event in
                let (word, finding): (String, Finding)
                switch event {
                case .found(let found): (word, finding) = ("found", found)
                case .remains(let left): (word, finding) = ("remains", left)
                case .sync: return
                }
                let subject = [finding.kind, finding.id].compactMap(\.self)
                let place = subject.isEmpty ? [finding.path].compactMap(\.self) : subject
                let text = ([word, finding.what.rawValue] + place).joined(separator: " ")
                findings.withLock { $0.append(text) }
            }
        let summary = try await Verification(of: sync, options: options).run(monitor)
        return (summary, findings.withLock { $0 })
    }

    /// Changes the database without the store's checks.
    func tamper(_ statements: String...) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: mirror.database, configuration: configuration)
        try queue.writeWithoutTransaction { db in
            for statement in statements { try db.execute(sql: statement) }
        }
        try queue.close()
    }

    /// The absolute path of the file of an artwork's picture.
    func file(of artwork: String) throws -> String {
        let known = try read { try $0.imageFiles(of: Owner(.artwork, artwork), role: .picture) }
        let file = known.values.first?["larger"]?.file
        return try mirror.files.absolutePath(#require(file))
    }

    /// Truncates the first file, overwrites the second, deletes the third, and adds an unknown one.
    func breakFiles() throws {
        #expect(try truncate(file(of: "a"), 3) == 0)
        try Data([0xFF, 0xD8, 0xFF, 0xE0, 9, 9, 9]).write(to: URL(filePath: file(of: "b")))
        try FileManager.default.removeItem(atPath: file(of: "c"))
        try Data().write(to: URL(filePath: "\(mirror.path)/media/stray.jpg"))
    }
}
