import Catalogue
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorServer

@Suite("Following a feed of events")
struct FeedFollowingTests {
    /// Edits a catalogue at random, reproducibly for a seed.
    private struct Editor {
        let store: CatalogueStore
        var random: SeededRandom
        private static let kinds: [(kind: Kind, count: Int)] = [
            (.artwork, 120), (.artist, 8), (.show, 6), (.album, 5), (.location, 4),
        ]

        private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

        private mutating func object(_ kinds: [Kind]? = nil) -> Owner {
            let among = Self.kinds.filter { kinds?.contains($0.kind) ?? true }
            let (kind, count) = among[number(0..<among.count)]
            return Owner(kind, "\(kind.name)/\(number(0..<count))")
        }

        private mutating func artworks() -> [String] {
            var ids = (0..<number(0..<6)).map { _ in "artwork/\(number(0..<120))" }
            ids = ids.enumerated().filter { ids.firstIndex(of: $0.element) == $0.offset }.map(\.element)
            return ids
        }

        private func write(_ writes: [Write]) throws { _ = try store.apply(writes, run: nil) }

        /// Makes one random change of an object or of a list under it. Many of them have no effect.
        mutating func edit() throws {
            switch number(0..<20) {
            case 0..<9:
                let object = object()
                let json = #"{"id":"\#(object.id)","version":\#(number(0..<3))}"#
                var record = ObjectRecord(
                    kind: object.kind, id: object.id, values: object.kind.columns.map { _ in .null },
                    json: json, etag: nil)
                // A linked object: referred to, but not listed yet.
                record.isLinked = try number(0..<10) == 0 && store.served(object.kind, object.id) == nil
                try write([.object(record)])
            case 9..<12:
                let object = object()
                try write([.tombstone(kind: object.kind, id: object.id, evidence: "test")])
            case 12, 13: try store.put(artworks(), in: object([.show, .album, .location]))
            case 14, 15:
                let title = "Title \(number(0..<3))"
                try store.put(document: "d\(number(0..<3))", of: object([.show, .artist]), title: title)
            case 16, 17:
                let show = object([.show]).id, role: ImageRole = number(0..<2) == 0 ? .cover : .installation
                try store.put(images: artworks(), ofShow: show, role: role)
            case 18:
                _ = try store.setAlbumArtwork(
                    "artwork/\(number(0..<120))", in: object([.album]).id, present: number(0..<2) == 0)
            default: try store.put(.partner, "p1", #"{"id":"p1","version":\#(number(0..<3))}"#)
            }
        }

        /// Makes several changes, with time between them.
        mutating func edit(_ test: TestServer) throws {
            for _ in 0..<number(20..<140) {
                try edit()
                if number(0..<4) == 0 { test.pass(0.001 * Double(number(1..<500))) }
            }
        }
    }

    @Test(arguments: UInt64(1)...2)
    func aClientThatFollowsTheFeedFromAnyCursorReachesTheServersState(_ seed: UInt64) async throws {
        let test = try TestServer()
        var editor = Editor(store: test.store, random: SeededRandom(seed: seed)),
            followers: [FeedFollower] = []
        for round in 0..<6 {
            followers.append(try await FeedFollower(test))
            try editor.edit(test)
            // Some clients are up to date, some are behind, and some stop between two pages.
            for index in followers.indices where (index + round) % 3 == 0 {
                try await followers[index].follow(limit: index % 2 == 0 ? .max : 1)
            }
        }
        let served = try await FeedFollower(test).bodies
        #expect(served.count > 40)
        for index in followers.indices {
            try await followers[index].follow()
            #expect(followers[index].bodies == served, "seed \(seed), from round \(index)")
            #expect(followers[index].refreshes == 0)
        }
    }

    @Test func aClientThatFollowsTheFeedReachesTheServersStateAcrossLogTruncation() async throws {
        let test = try TestServer()
        var editor = Editor(store: test.store, random: SeededRandom(seed: 99)), followers: [FeedFollower] = []
        for round in 0..<12 {
            followers.append(try await FeedFollower(test))
            try editor.edit(test)
            let time = test.pass(10)
            if round % 4 == 3 { try test.store.trimHistory(olderThan: time) }
            if round == 9 {
                for index in followers.indices.dropFirst(4) { try await followers[index].follow() }
            }
        }
        let served = try await FeedFollower(test).bodies
        for index in followers.indices {
            try await followers[index].follow()
            #expect(followers[index].bodies == served, "from round \(index)")
        }
        #expect(followers.map(\.refreshes) == [1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1])
    }
}
