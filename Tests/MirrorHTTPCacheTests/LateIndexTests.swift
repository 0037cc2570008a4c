import Foundation
import GRDB
import Testing

@testable import MirrorHTTP

/// A file that is made anew gets its index when something has to be found in it, or when it is closed.
@Suite("A cache's file that has no index yet") struct LateIndexTests {
    private let folder = CacheFolder()

    /// What another connection sees: whether there is an index, and the bodies in the order of their rows.
    private func rows() throws -> (hasIndex: Bool, bodies: [String]) {
        try DatabaseQueue(path: folder.file.path).read { db in
            (
                try EntryFile.hasIndex(db),
                try String.fetchAll(db, sql: "SELECT CAST(body AS TEXT) FROM entry ORDER BY id")
            )
        }
    }

    private func body(_ cache: CanonicalURLCache, _ key: String) -> String? {
        cache.entry(for: key).map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Two batches, of which the second repeats an entry of the first.
    private func filled() throws -> CanonicalURLCache {
        let vary = try #require(VaryKey(response: ["Vary": "Accept"], request: ["Accept": "x"]))
        let cache = folder.open()
        cache.store(entry(key: "/a", body: "1"))
        cache.store(entry(key: "/b", body: "2"))
        cache.flush()
        cache.store(entry(key: "/a", body: "3"))
        cache.store(entry(key: "/a", body: "4", vary: vary))
        cache.store(entry(key: "/c", body: "5"))
        cache.flush()
        return cache
    }

    private static let left = ["2", "3", "4", "5"]

    @Test func itIsMadeWhenTheFileIsClosed() throws {
        let cache = try filled()
        #expect(cache.entry(for: "/never") == nil)
        let before = try rows()
        #expect(!before.hasIndex && before.bodies == ["1"] + Self.left)
        cache.close()
        let after = try rows()
        #expect(after.hasIndex && after.bodies == Self.left)
        #expect(body(folder.open(), "/a") == "3")
        #expect(folder.problems.codes.isEmpty)
    }

    @Test func itIsMadeWhenSomethingHasToBeFound() throws {
        let cache = try filled()
        #expect(body(cache, "/a") == "3" && body(cache, "/b") == "2")
        let found = try rows()
        #expect(found.hasIndex && found.bodies == Self.left)
    }

    @Test func itIsMadeWhenSomethingIsChangedOrTakenAway() throws {
        let cache = try filled()
        cache.remove("/a")
        cache.flush()
        let found = try rows()
        #expect(found.hasIndex && found.bodies == ["2", "5"])
        cache.store(entry(key: "/b", body: "6"))
        cache.flush()
        #expect(try rows().bodies == ["6", "5"])
    }

    @Test func itIsMadeWhenTheFileIsFolded() throws {
        let cache = try filled()
        cache.beginFolding(waits: true)
        #expect(try rows().hasIndex)
        #expect(body(cache, "/a") == "3")
    }

    /// As a process that was killed leaves it.
    @Test func itIsMadeByWhoeverOpensTheFileNext() throws {
        let cache = try filled(), copy = CacheFolder()
        try FileManager.default.createDirectory(
            at: copy.file.deletingLastPathComponent(), withIntermediateDirectories: true)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.file.path + suffix, toPath: copy.file.path + suffix)
        }
        let next = copy.open()
        #expect(body(next, "/a") == "3" && body(next, "/b") == "2" && body(next, "/c") == "5")
        let file = try DatabaseQueue(path: copy.file.path)
        #expect(try file.read(EntryFile.hasIndex))
        #expect(try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") } == 4)
        #expect(copy.problems.codes.isEmpty)
        cache.close()
    }

    @Test func whatCameSinceIsTakenAwayAndNothingEarlierComesBack() throws {
        let cache = try filled()
        cache.store(entry(key: "/b", body: "6", at: epoch + 10))
        cache.flush()
        cache.removeCachedResponses(since: Date(timeIntervalSince1970: epoch + 5))
        #expect(body(cache, "/b") == nil && body(cache, "/c") == "5")
    }

    @Test func whatIsStoredBehindAllThatWasTakenAwayStays() throws {
        let cache = folder.open()
        cache.store(entry(key: "/a", body: "1"))
        cache.removeAllCachedResponses()
        cache.store(entry(key: "/a", body: "2"))
        cache.close()
        #expect(try rows().bodies == ["2"])
    }
}
