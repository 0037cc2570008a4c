import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorServer

@Suite("Mirrors under a home folder")
final class MirrorDirectoryTests: Sendable {
    private let home: TemporaryHome
    private let clock = Mutex(ContinuousClock.now)

    init() throws { home = try TemporaryHome() }

    private func make(_ name: String, partner: String) throws {
        let folder = try home.mirror(name)
        try folder.prepare()
        let store = try CatalogueStore.open(at: folder.database)
        try store.put(.partner, partner)
        try store.close()
    }

    private func directory() -> MirrorDirectory {
        MirrorDirectory(home: home.home, now: { [unowned self] in self.clock.withLock { $0 } })
    }

    private func wait() { clock.withLock { $0 = $0.advanced(by: .seconds(2)) } }

    @Test func mirrorsThatAreAddedLaterAreServed() throws {
        let directory = directory()
        #expect(try directory.mirror(named: "one") == nil)
        #expect(try directory.mirror(named: nil) == nil)
        try make("one", partner: "p")
        #expect(try directory.mirror(named: nil) == nil, "the folder is read at most once a second")
        wait()
        let one = try #require(try directory.mirror(named: "one"))
        #expect(try directory.mirror(named: nil) === one)
        try make("two", partner: "q")
        wait()
        #expect(try directory.mirror(named: nil) == nil)
        #expect(try directory.mirror(named: "one") === one)
        #expect(try directory.mirror(named: "two")?.isOf(partner: "q") == true)
        try directory.close()
    }

    @Test func aReplacedDatabaseIsReopened() throws {
        try make("one", partner: "p")
        let directory = directory()
        #expect(try directory.mirror(named: "one")?.isOf(partner: "p") == true)
        let folder = try home.mirror("one")
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + ".old")
        wait()
        #expect(try directory.mirror(named: "one") == nil)
        try make("one", partner: "q")
        wait()
        #expect(try directory.mirror(named: "one")?.isOf(partner: "q") == true)
        try directory.close()
    }

    @Test func aDamagedMirrorDoesNotAffectOtherMirrors() throws {
        try make("good", partner: "p")
        try make("bad", partner: "q")
        let bad = try home.mirror("bad")
        #expect(FileManager.default.createFile(atPath: bad.database, contents: Data("no database".utf8)))
        let directory = directory()
        #expect(throws: StoreError.self) { try directory.mirror(named: "bad") }
        #expect(try directory.mirror(named: "good") != nil)
        try directory.close()
    }

    @Test func mirrorNamesThatCouldBePathsAreNotFound() throws {
        try make("one", partner: "p")
        let directory = directory()
        for name in ["", ".", "..", "../one", "one/", "ONE\u{0}", "\u{212A}"] {
            #expect(try directory.mirror(named: name) == nil, "\(name)")
        }
        try directory.close()
    }
}
