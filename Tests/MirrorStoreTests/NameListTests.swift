import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("Lists of names")
struct NameListTests {
    private let fixture: BrowsingFixture

    init() throws { fixture = try BrowsingFixture() }

    private func ids(_ kind: Kind, _ face: Face = .visitors, limit: Int = 60) throws -> [String] {
        var ids: [String] = [], page = try fixture.store.names(kind, for: face, limit: limit)
        ids += page.items.map(\.id)
        while let next = page.next {
            page = try fixture.store.names(kind, for: face, from: .after(next), limit: limit)
            ids += page.items.map(\.id)
        }
        return ids
    }

    @Test(arguments: [1, 2, 3, 60])
    func `Artists are ordered by their family names`(_ limit: Int) throws {
        #expect(try ids(.artist, limit: limit) == ["durer", "hokusai", "zorn"])
        let page = try fixture.store.names(.artist, for: .visitors)
        #expect(page.total == 3)
        #expect(page.items.map(\.artworks) == [4, 3, 4])
        #expect(try fixture.store.names(.artist, for: .staff).items.last?.artworks == 5)
    }

    @Test func `Pages of names lead back`() throws {
        let first = try fixture.store.names(.artist, for: .visitors, limit: 2)
        let next = try #require(first.next)
        let second = try fixture.store.names(.artist, for: .visitors, from: .after(next), limit: 2)
        let previous = try #require(second.previous)
        #expect(second.next == nil)
        #expect(try fixture.store.names(.artist, for: .visitors, from: .before(previous), limit: 2) == first)
    }

    @Test func `After the last name there is the last page, and before the first one the first page`() throws
    {
        let end = PageKey.end(of: "artist", areNumbers: [false, false])
        let last = try fixture.store.names(.artist, for: .visitors, from: .after(end), limit: 2)
        #expect(last.items.map(\.id) == ["hokusai", "zorn"] && last.next == nil && last.previous != nil)
        let start = PageKey("artist", [.text(""), .text("")])
        #expect(
            try fixture.store.names(.artist, for: .visitors, from: .before(start), limit: 2)
                == fixture.store.names(.artist, for: .visitors, limit: 2))
        let none = PageKey.end(of: "location", areNumbers: [false, false])
        #expect(try fixture.store.names(.location, for: .visitors, from: .after(none)).items.isEmpty)
    }

    @Test func `Letters of artists lead to their first artist`() throws {
        let letters = try fixture.store.letters(.artist, for: .visitors)
        #expect(letters.map(\.letter) == ["D", "H", "Z"])
        let h = try fixture.store.names(.artist, for: .visitors, from: .after(letters[1].before))
        #expect(h.items.map(\.id) == ["hokusai", "zorn"])
    }

    @Test func `Shows are ordered by date, the latest first, and those without a date last`() throws {
        for (id, start) in [
            ("old", "1999-01-01"), ("new", "2027-01-01"), ("none", nil), ("middle", "2020-05-05T10:00:00Z"),
        ] {
            try fixture.put(.show, id, ["name": .string(id), "start_at": start.map { .string($0) } ?? .null])
        }
        try fixture.store.updateSearchIndex()
        #expect(try ids(.show, limit: 1) == ["new", "middle", "old", "none"])
    }

    @Test func `Private albums are left out for visitors, and locally deleted ones for all`() throws {
        for (id, isPrivate) in [("a", false), ("b", true), ("c", false)] {
            try fixture.put(.album, id, ["name": .string("Album \(id)"), "private": .bool(isPrivate)])
        }
        try fixture.store.updateSearchIndex()
        #expect(try ids(.album) == ["a", "c"] && ids(.album, .staff) == ["a", "b", "c"])
        #expect(try fixture.store.names(.album, for: .visitors).total == 2)
        try fixture.store.write { try $0.execute(sql: "UPDATE album SET deleted = 1 WHERE id = 'c'") }
        #expect(try ids(.album) == ["a"] && fixture.store.names(.album, for: .staff).total == 2)
    }

    @Test func `An album that became private is left out before the index is updated`() throws {
        for id in ["a", "b"] { try fixture.put(.album, id, ["name": .string("Secret \(id)")]) }
        try fixture.store.updateSearchIndex()
        try fixture.put(.album, "b", ["name": "Secret b", "private": true])
        #expect(try fixture.store.isHidden(.album, "b"))
        #expect(try ids(.album) == ["a"] && ids(.album, .staff) == ["a", "b"])
        #expect(try fixture.store.names(.album, for: .visitors).total == 1)
        #expect(try fixture.store.search(SearchWords("secret"), ArtworkQuery()).others.map(\.id) == ["a"])
    }

    @Test func `The numbers of objects are the lengths of their lists`() throws {
        func counts(_ face: Face) throws -> [String] {
            try fixture.store.shownCounts(for: face).map { "\($0.kind.name) \($0.count)" }
        }
        #expect(try counts(.visitors) == ["artwork 11", "artist 3"])
        for (id, isPrivate) in [("a", false), ("b", true), ("c", false)] {
            try fixture.put(.album, id, ["name": .string("Album \(id)"), "private": .bool(isPrivate)])
        }
        try fixture.put(.show, "s", ["name": "Show"])
        #expect(try counts(.visitors) == ["artwork 11", "artist 3"], "the index is behind, as the lists are")
        try fixture.store.updateSearchIndex()
        try fixture.store.write { try $0.execute(sql: "UPDATE album SET deleted = 1 WHERE id = 'c'") }
        #expect(try counts(.visitors) == ["artwork 11", "artist 3", "show 1", "album 1"])
        #expect(try counts(.staff) == ["artwork 12", "artist 3", "show 1", "album 2"])
    }

    @Test func `A mirror whose only album was deleted locally has no albums`() throws {
        try fixture.put(.album, "a", ["name": "Album"])
        #expect(try fixture.store.hasObjects(.album, shownTo: .visitors))
        try fixture.store.write { try $0.execute(sql: "UPDATE album SET deleted = 1") }
        #expect(try !fixture.store.hasObjects(.album, shownTo: .staff))
    }

    @Test func `Rooms are in the order of their numbers`() throws {
        for number in [10, 2, 1, 20] {
            try fixture.put(.location, "r\(number)", ["name": .string("Room \(number)")])
        }
        try fixture.store.updateSearchIndex()
        #expect(try ids(.location) == ["r1", "r2", "r10", "r20"])
        let first = try fixture.store.names(.location, for: .visitors, limit: 2)
        let next = try #require(first.next)
        let rest = try fixture.store.names(.location, for: .visitors, from: .after(next), limit: 2)
        #expect(rest.items.map(\.id) == ["r10", "r20"])
    }

    @Test func `A renamed location moves in the list`() throws {
        try fixture.put(.location, "r", ["name": "Room"])
        try fixture.put(.location, "h", ["name": "Hall"])
        try fixture.store.updateSearchIndex()
        #expect(try ids(.location) == ["h", "r"])
        try fixture.put(.location, "r", ["name": "Attic"])
        try fixture.store.updateSearchIndex()
        #expect(try ids(.location) == ["r", "h"])
    }

    @Test func `Other kinds have no list of names`() throws {
        #expect(try fixture.store.names(.user, for: .staff).items.isEmpty)
    }
}

@Suite("Artworks of shows, albums and locations")
struct MemberListTests {
    private let fixture: BrowsingFixture

    init() throws {
        fixture = try BrowsingFixture()
        try fixture.put(.show, "s", ["name": "Show"])
        _ = try fixture.test.members(
            Owner(.show, "s"), ["c", "a", BrowsingFixture.hidden, "gone", "b"], run: fixture.run)
        _ = try fixture.test.finish(fixture.run)
    }

    @Test(arguments: [1, 2, 60])
    func `They are read in the show's order`(_ limit: Int) throws {
        let show = Owner(.show, "s")
        var page = try fixture.store.members(of: show, for: .visitors, limit: limit),
            ids = page.items.map(\.id)
        #expect(page.total == 3)
        while let next = page.next {
            page = try fixture.store.members(of: show, for: .visitors, from: .after(next), limit: limit)
            ids += page.items.map(\.id)
        }
        #expect(ids == ["c", "a", "b"])
        while let previous = page.previous {
            page = try fixture.store.members(of: show, for: .visitors, from: .before(previous), limit: limit)
        }
        #expect(page.items.first?.id == "c")
        #expect(try fixture.store.members(of: show, for: .staff).total == 4)
    }

    @Test func `After the last artwork there is the last page, and before the first one the first page`()
        throws
    {
        let show = Owner(.show, "s")
        func ids(_ position: PagePosition, _ owner: Owner) throws -> [String] {
            try fixture.store.members(of: owner, for: .visitors, from: position, limit: 2).items.map(\.id)
        }
        let end = PageKey.end(of: PageKey.members, areNumbers: [true, false])
        #expect(try ids(.after(end), show) == ["a", "b"])
        #expect(try ids(.before(PageKey(PageKey.members, [.number(.min), .text("")])), show) == ["c", "a"])
        #expect(try ids(.after(end), Owner(.show, "none")) == [])
    }

    @Test func `Neighbours in a show have their number`() throws {
        let neighbours = try fixture.store.neighbours(of: "b", among: Owner(.show, "s"), for: .visitors)
        #expect(neighbours == Neighbours(previous: "a", next: nil, number: 3, total: 3))
        #expect(try fixture.store.neighbours(of: "d", among: Owner(.show, "s"), for: .visitors) == nil)
        #expect(
            try fixture.store.neighbours(of: BrowsingFixture.hidden, among: Owner(.show, "s"), for: .visitors)
                == nil)
    }

    @Test func `An artist's artworks are ordered by year`() throws {
        let page = try fixture.store.members(of: Owner(.artist, "durer"), for: .visitors)
        #expect(page.items.map(\.id) == ["l", "c", "e", "d"] && page.total == 4)
        let first = try fixture.store.members(of: Owner(.artist, "durer"), for: .visitors, limit: 2)
        let key = try #require(first.next.flatMap { PageKey($0.text, membersOf: .artist) })
        #expect(
            try fixture.store.members(of: Owner(.artist, "durer"), for: .visitors, from: .after(key)).items
                .map(\.id)
                == ["e", "d"])
    }

    @Test func `The number of artworks leaves out hidden ones for visitors, and those that aren't stored`()
        throws
    {
        #expect(try fixture.store.memberCount(of: Owner(.show, "s"), for: .visitors) == 3)
        #expect(try fixture.store.memberCount(of: Owner(.show, "s"), for: .staff) == 4)
        #expect(try fixture.store.memberCount(of: Owner(.show, "?"), for: .staff) == 0)
        #expect(try fixture.store.memberCount(of: Owner(.user, "u"), for: .staff) == nil)
    }

    @Test func `More than 5,000 artworks aren't counted, even if they are hidden`() throws {
        try fixture.store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO artwork (id, json, published)
                      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                      SELECT 'n' || i, '{}', 0 FROM n;
                    INSERT INTO show_artwork (show_id, artwork_id, position)
                      SELECT 's', id, 100 + rowid FROM artwork WHERE id GLOB 'n[0-9]*';
                    """)
        }
        for face in Face.allCases {
            #expect(try fixture.store.memberCount(of: Owner(.show, "s"), for: face) == nil)
            let page = try fixture.store.members(of: Owner(.show, "s"), for: face, limit: 2)
            #expect(page.items.map(\.id) == ["c", "a"] && page.total == nil)
        }
    }

    @Test func `The artworks of several shows are counted in one read`() throws {
        try addSecondShow()
        #expect(try fixture.store.memberCounts(of: .show, ["t", "?", "s"], for: .visitors) == [1, 0, 3])
        #expect(try fixture.store.memberCounts(of: .show, ["t", "s"], for: .staff) == [2, 4])
        #expect(try fixture.store.memberCounts(of: .user, ["u"], for: .staff) == [nil])
    }

    @Test func `The first pictures are those of the artworks of the first page`() throws {
        let show = Owner(.show, "s")
        for face in Face.allCases {
            let page = try fixture.store.members(of: show, for: face, limit: 3)
            let owners = [show, Owner(.user, "u"), Owner(.show, "?"), show]
            let pictures = page.items.map(\.picture)
            #expect(
                try fixture.store.memberPictures(of: owners, for: face, limit: 3) == [
                    pictures, [], [], pictures,
                ])
        }
    }

    @Test(arguments: [(Face.visitors, 3, 1), (.staff, 4, 2)])
    func `The list of shows counts their artworks`(_ face: Face, _ first: Int, _ second: Int) throws {
        try addSecondShow()
        #expect(try counts(face, allowance: 5_000) == [first, second])
    }

    /// The first show has five artworks, of which one isn't stored; the second has two.
    @Test(
        arguments: [(7, [4, 2]), (6, [4, nil]), (5, [4, nil]), (4, [nil, nil]), (0, [nil, nil])]
            as [(Int, [Int?])])
    func `A page of shows counts a limited number of artworks in all`(_ allowance: Int, _ counts: [Int?])
        throws
    {
        try addSecondShow()
        #expect(try self.counts(.staff, allowance: allowance) == counts)
    }

    private func addSecondShow() throws {
        try fixture.put(.show, "t", ["name": "Another show"])
        let run = try fixture.test.beginRun()
        _ = try fixture.test.members(Owner(.show, "t"), ["a", BrowsingFixture.hidden], run: run)
        _ = try fixture.test.finish(run)
    }

    private func counts(_ face: Face, allowance: Int) throws -> [Int?] {
        try fixture.store.snapshot { reader in
            try NamePage(kind: .show, face: face, reader: reader, allowance: allowance).items(["s", "t"])
                .map(\.artworks)
        }
    }

    @Test func `Objects without artworks have an empty list`() throws {
        #expect(try fixture.store.members(of: Owner(.location, "?"), for: .staff).items.isEmpty)
        #expect(try fixture.store.members(of: Owner(.user, "u"), for: .staff).total == 0)
    }
}
