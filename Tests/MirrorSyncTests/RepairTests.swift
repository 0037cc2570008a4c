import Catalogue
import Foundation
import GRDB
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// A repair never removes the last copy of a file (invariant 5).
@Suite("A repair of a mirror", .fewAtATime)
struct RepairTests {
    private static let good: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
    private static let flipped: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 2]
    private static let picture = "/artwork/a/image/ia/larger.jpg"

    private let partner = FakePartner { state in
        state.extensions = ["validators"]
        for (id, byte) in [("a", 1), ("b", 9)] as [(String, UInt8)] {
            state.artwork(id, image: "i\(id)")
            state.files["/artwork/\(id)/image/i\(id)/larger.jpg"] = [0xFF, 0xD8, 0xFF, 0xE0, byte, 2, 3]
        }
        state.album("m", ["b", "a"])
    }

    /// A mirror with one picture that has a flipped bit.
    private func damaged() async throws -> (mirror: TestMirror, file: String) {
        let mirror = try TestMirror(partner)
        #expect(try await mirror.sync().outcome == .complete)
        let file = try mirror.file(of: "a")
        try Data(Self.flipped).write(to: URL(filePath: file))
        return (mirror, file)
    }

    private func repair(_ mirror: TestMirror) async throws -> (
        summary: VerifySummary, findings: [String]
    ) {
        try await mirror.verify { ($0.readData, $0.repair) = (.all, true) }
    }

    private func setAside(_ mirror: TestMirror) throws -> [String] {
        let folder = try mirror.mirror
        return try folder.files.setAsideFiles().values.joined().map { "\(folder.path)/\($0)" }
    }

    private func bytes(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { [UInt8]($0) }
    }

    // MARK: - Files

    @Test(arguments: [404, 410, 403])
    func aDamagedFileThatTheServerDoesNotHaveIsMovedAsideAndReportedEachTime(status: Int) async throws {
        let (mirror, file) = try await damaged()
        partner.change { $0.overrides[Self.picture] = .text("{}", status: status) }
        let (summary, findings) = try await repair(mirror)
        #expect(summary.outcome == .findings && summary.remaining == [.damaged: 1])
        #expect(findings == ["found digest image ia", "remains damaged image ia"])
        #expect(bytes(file) == nil)
        let copies = try setAside(mirror)
        #expect(copies.map(bytes) == [Self.flipped])
        // The damaged picture is not served.
        #expect(
            try mirror.read {
                try $0.imageFiles(of: Owner(.artwork, "a"), role: .picture)["ia"]?["larger"]?.file
            }
                == nil)
        for _ in 0..<2 {
            let (again, found) = try await mirror.verify { $0.readData = .all }
            #expect(again.outcome == .findings && found == ["found damaged image ia"])
            try await mirror.sync()
        }
        #expect(try setAside(mirror) == copies)
    }

    /// Either the request for the picture fails, or that for the partner.
    @Test(arguments: [(picture, 500), ("/partner/p/all", 404)])
    func aDamagedFileStaysInPlaceWhileTheServerFails(url: String, status: Int) async throws {
        let (mirror, file) = try await damaged()
        partner.change { $0.overrides[url] = .text("{}", status: status) }
        let (summary, findings) = try await repair(mirror)
        #expect(summary.outcome == .findings && summary.remaining == [.damaged: 1])
        #expect(findings == ["found digest image ia", "remains damaged image ia"])
        #expect(bytes(file) == Self.flipped)
        #expect(try setAside(mirror) == [])
        #expect(try await mirror.verify().findings == ["found damaged image ia"])
        partner.change { $0.overrides = [:] }
        try await mirror.sync()
        #expect(bytes(file) == Self.good)
        #expect(try await mirror.verify { $0.readData = .all }.findings == [])
    }

    @Test func aFileThatIsDamagedOnTheServerTooIsNotReplaced() async throws {
        let (mirror, _) = try await damaged()
        partner.change { $0.files[Self.picture] = Self.flipped }
        let (summary, _) = try await repair(mirror)
        #expect(summary.outcome == .findings && summary.remaining == [.damaged: 1])
        #expect(try setAside(mirror).map(bytes) == [Self.flipped])
    }

    /// The server sends either the original bytes or others.
    @Test(arguments: [good, [0xFF, 0xD8, 0xFF, 0xE0, 7, 7, 7, 7]])
    func aDamagedCopyIsDeletedOnceAnIntactOneWasFetched(better: [UInt8]) async throws {
        let (mirror, _) = try await damaged()
        partner.change { $0.overrides[Self.picture] = .text("{}", status: 404) }
        _ = try await repair(mirror)
        #expect(try setAside(mirror).count == 1)
        partner.change { state in
            state.overrides = [:]
            state.files[Self.picture] = better
        }
        let (summary, _) = try await repair(mirror)
        #expect(summary.outcome == .repaired, "\(summary.remaining) \(summary.failure ?? "")")
        #expect(try setAside(mirror) == [])
        #expect(bytes(try mirror.file(of: "a")) == better)
        #expect(try await mirror.verify { $0.readData = .all }.findings == [])
    }

    @Test func aNewVersionOfADamagedFileReplacesIt() async throws {
        let (mirror, file) = try await damaged()
        partner.change { $0.files[Self.picture] = [0xFF, 0xD8, 0xFF, 0xE0, 7, 7, 7] }
        let (summary, _) = try await repair(mirror)
        #expect(summary.outcome == .repaired, "\(summary.remaining) \(summary.failure ?? "")")
        #expect(bytes(file) == nil)
        #expect(try await mirror.verify { $0.readData = .all }.findings == [])
    }

    @Test func aDamagedCopyThatWasDeletedByHandIsNoLongerReported() async throws {
        let (mirror, _) = try await damaged()
        partner.change { $0.overrides[Self.picture] = .text("{}", status: 404) }
        _ = try await repair(mirror)
        for copy in try setAside(mirror) { try FileManager.default.removeItem(atPath: copy) }
        #expect(try await mirror.verify { $0.readData = .all }.findings == [])
        try await mirror.sync()
        #expect(try mirror.read { try $0.damagedFiles() } == [])
    }

    /// The server deleted the object. The file is kept for 30 days so that the object can be restored.
    @Test func aDamagedFileThatNothingRefersToIsKept() async throws {
        let (mirror, _) = try await damaged()
        partner.change { $0.remove(.artwork, "a") }
        partner.change { $0.lists["/partner/p/album/m/artworks"] = ["b"] }
        try await mirror.sync()
        let (summary, _) = try await repair(mirror)
        #expect(summary.remaining == [.damaged: 1])
        #expect(try setAside(mirror).map(bytes) == [Self.flipped])
    }

    @Test func filesWhoseRowsWereLostAreFoundOnTheDiskAndNotFetchedAgain() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let file = try mirror.file(of: "a")
        // The file is old enough to be a stray.
        try FileManager.default.setAttributes(
            [.modificationDate: TestMirror.now.addingTimeInterval(-10 * 86_400)], ofItemAtPath: file)
        try mirror.tamper("DELETE FROM file")
        partner.change { $0.files = [:] }
        let (summary, _) = try await repair(mirror)
        #expect(summary.outcome == .repaired, "\(summary.remaining) \(summary.failure ?? "")")
        #expect(bytes(file) == Self.good)
        #expect(try mirror.file(of: "a") == file)
    }

    /// The tables that determine which files are needed are empty.
    @Test func noFileIsRemovedAsStrayBeforeLostTablesAreFilledAgain() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let file = try mirror.file(of: "a")
        try FileManager.default.setAttributes(
            [.modificationDate: TestMirror.now.addingTimeInterval(-10 * 86_400)], ofItemAtPath: file)
        try mirror.tamper("DROP TABLE image_file; DROP TABLE file")
        partner.change { $0.overrides["/partner/p/all"] = .text("{}", status: 404) }
        for _ in 0..<2 { #expect(try await repair(mirror).summary.outcome != .repaired) }
        #expect(bytes(file) == Self.good)
    }

    // MARK: - Rows

    @Test func filesAndMembershipsOfALostRowAreKeptUntilTheObjectIsFetched() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        let file = try mirror.file(of: "a")
        try mirror.tamper("DELETE FROM artwork WHERE id = 'a'", "DELETE FROM album WHERE id = 'm'")
        partner.change { state in
            state.overrides["/artwork/a"] = .text("{}", status: 500)
            state.overrides["/partner/p/album/m"] = .text("{}", status: 500)
        }
        #expect(try await repair(mirror).summary.outcome == .findings)
        #expect(try mirror.file(of: "a") == file)
        func memberships() throws -> Int? {
            try mirror.read { store in
                try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM album_artwork") }
            }
        }
        #expect(try memberships() == 2)
        partner.change { $0.overrides = [:] }
        _ = partner.takeRequests()
        let (summary, _) = try await repair(mirror)
        #expect(summary.outcome == .repaired, "\(summary.remaining) \(summary.failure ?? "")")
        #expect(!partner.takeRequests().contains { $0.hasSuffix("larger.jpg") })
        #expect(try mirror.file(of: "a") == file && memberships() == 2)
    }

    @Test func filesAndMembershipsOfALostRowAreRemovedIfACompleteListLacksTheObject() async throws {
        let mirror = try TestMirror(partner)
        try await mirror.sync()
        partner.change { state in
            state.remove(.artwork, "a")
            state.remove(.album, "m")
        }
        try mirror.tamper("DELETE FROM artwork WHERE id = 'a'", "DELETE FROM album WHERE id = 'm'")
        let (summary, _) = try await repair(mirror)
        #expect(summary.outcome == .repaired, "\(summary.remaining) \(summary.failure ?? "")")
        #expect(try mirror.ids(.artwork) == ["b"] && mirror.ghosts(.artwork) == [])
        #expect(try await mirror.verify { $0.readData = .all }.findings == [])
    }

    // MARK: - Files that are no mirror's database

    private static let others: [(String, @Sendable (String) throws -> Void, StoreError.Code)] = [
        ("an empty file", { try Data().write(to: URL(filePath: $0)) }, .damaged),
        ("a text", { try Data("hello".utf8).write(to: URL(filePath: $0)) }, .damaged),
        (
            "the beginning of a header",
            { try Data("SQLite format 3\0\u{10}".utf8).write(to: URL(filePath: $0)) }, .damaged
        ),
        (
            "a database without tables",
            { path in
                let queue = try DatabaseQueue(path: path)
                try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
                try queue.close()
            }, .damaged
        ),
        (
            "a database without an application id",
            { path in
                let queue = try DatabaseQueue(path: path)
                try queue.write { try $0.execute(sql: "CREATE TABLE t (x)") }
                try queue.close()
            }, .notOurs
        ),
        (
            "another program's database",
            { path in
                let queue = try DatabaseQueue(path: path)
                try queue.write { try $0.execute(sql: "PRAGMA application_id = 7; CREATE TABLE t (x)") }
                try queue.close()
            }, .notOurs
        ),
    ]

    @Test(arguments: others.indices, [false, true])
    func aDatabaseThatIsNoMirrorIsReportedAndLeftUnchanged(index: Int, repairs: Bool) async throws {
        let (name, make, code) = Self.others[index]
        let mirror = try TestMirror(partner), folder = try mirror.mirror
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try make(folder.database)
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let content = bytes(folder.database)
        await #expect("\(name)") {
            _ = try await mirror.verify { $0.repair = repairs }
        } throws: { error in
            (error as? StoreError)?.code == code
                && (error as? StoreError)?.message.contains("not a mirror database") == true
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
        #expect(bytes(folder.database) == content)
    }

    /// A killed process may leave an empty file behind.
    @Test func aSyncCreatesAMirrorInAnEmptyDatabaseFile() async throws {
        let mirror = try TestMirror(partner), folder = try mirror.mirror
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: folder.database))
        #expect(!folder.exists)
        #expect(throws: StoreError.self) { _ = try folder.store() }
        #expect(bytes(folder.database) == [])
        #expect(try await mirror.sync().outcome == .complete)
        #expect(try await mirror.verify().findings == [])
    }
}
