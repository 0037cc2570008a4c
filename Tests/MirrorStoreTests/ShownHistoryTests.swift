import Catalogue
import GRDB
import Testing

@testable import MirrorStore

@Suite("What visitors see of the change log") struct ShownHistoryTests {
    let test: TestStore
    var store: CatalogueStore { test.store }

    init() throws { test = try TestStore() }

    /// Stores an artwork in a run of its own, as a server would send it, and ends the run.
    @discardableResult
    private func put(_ json: String..., remove: [String] = []) throws -> Int64 {
        test.pass()
        let run = try test.beginRun()
        for json in json {
            _ = try store.apply(
                [.object(ObjectRecord(.artwork, try Artwork(text: json), etag: nil))], run: run)
        }
        for id in remove {
            _ = try store.apply(
                [.tombstone(kind: .artwork, id: id, evidence: "deleted, says /feed")], run: run)
        }
        try store.updateShownHistory()
        try store.endRun(run, outcome: "complete", summary: "{}", errors: [])
        return run
    }

    private func shown(_ face: Face, _ scope: ChangeScope = .all) throws -> [String] {
        try store.shownChanges(scope, to: face, limit: 100).changes.map {
            "\($0.action.rawValue) \($0.object.id)"
        }
    }

    private func tally(_ run: Int64, _ face: Face) throws -> ChangeTally? {
        try store.tallies(ofRuns: [run], to: face)[run]?[.artwork]
    }

    private func artwork(_ id: String, _ fields: String) -> String { #"{"id":"\#(id)",\#(fields)}"# }

    @Test func changesOfPublishedArtworksAreShownAndCounted() throws {
        let first = try put(artwork("a", #""title":"One","published":true"#))
        let second = try put(artwork("a", #""title":"Two","published":true"#))
        let third = try put(remove: ["a"])
        for face in Face.allCases {
            #expect(try shown(face) == ["delete a", "update a", "create a"])
            #expect(try tally(first, face) == ChangeTally(created: 1))
            #expect(try tally(second, face) == ChangeTally(updated: 1))
            #expect(try tally(third, face) == ChangeTally(deleted: 1))
            #expect(
                try store.tallies(since: "2027-01-15", to: face).map(\.tally) == [
                    ChangeTally(created: 1, updated: 1, deleted: 1)
                ])
        }
    }

    @Test func changesOfHiddenArtworksAreNeitherShownNorCountedForVisitors() throws {
        let first = try put(artwork("a", #""title":"One","published":false"#))
        try put(artwork("a", #""title":"Two","published":false"#))
        try put(remove: ["a"])
        #expect(try shown(.visitors).isEmpty)
        #expect(try tally(first, .visitors) == ChangeTally())
        #expect(try shown(.staff).count == 3)
        #expect(try tally(first, .staff) == ChangeTally(created: 1))
    }

    @Test(
        arguments: [
            #""price":"1","updated_at":"2027-01-02T00:00:00Z""#, #""confidential_notes":"secret""#,
            #""internal_display_price":"$ 1""#, #""edition_sets":[{"id":"e","prices":["1"]}]"#,
        ])
    func changesOfHiddenFieldsAreNeitherShownNorCountedForVisitors(field: String) throws {
        try put(
            artwork(
                "a",
                #""title":"One","published":true,"edition_sets":[{"id":"e"}]"#.replacing(
                    field.contains("edition_sets") ? "¤" : #","edition_sets":[{"id":"e"}]"#, with: "")))
        let second = try put(artwork("a", #""title":"One","published":true,\#(field)"#))
        #expect(try shown(.visitors) == ["create a"])
        #expect(try tally(second, .visitors) == ChangeTally())
        #expect(try shown(.staff) == ["update a", "create a"])
        #expect(try store.dates(of: .artwork, "a", for: .visitors).last?.run != second)
        #expect(try store.dates(of: .artwork, "a", for: .staff).last?.run == second)
    }

    @Test func anArtworkThatBecomesHiddenLosesItsEarlierChangesAndTheirNumbers() throws {
        let first = try put(artwork("a", #""title":"One","published":true"#), artwork("b", #""title":"B""#))
        try put(artwork("a", #""title":"Two","published":true"#))
        try put(artwork("a", #""title":"Two","published":false"#))
        #expect(try shown(.visitors) == ["create b"])
        #expect(try tally(first, .visitors) == ChangeTally(created: 1))
        #expect(try shown(.staff).count == 4)
        let shownAgain = try put(artwork("a", #""title":"Two","published":true"#))
        #expect(try tally(shownAgain, .visitors) == ChangeTally(created: 1), "it is new to visitors")
        #expect(try shown(.visitors, .object(.artwork, "a")) == ["update a"])
    }

    @Test func anObjectCountsOnceInARun() throws {
        let run = try put(
            artwork("a", #""title":"One""#), artwork("a", #""title":"Two""#),
            artwork("a", #""title":"Three""#))
        #expect(try tally(run, .visitors) == ChangeTally(created: 1))
        #expect(try shown(.visitors, .run(run)) == ["update a", "update a", "create a"])
    }

    @Test func anObjectCountsOnceInARunThatIsCountedInParts() throws {
        let run = try test.beginRun()
        func apply(_ title: String, isPublished: Bool = true) throws {
            let json = artwork("a", #""title":"\#(title)","published":\#(isPublished)"#)
            _ = try store.apply(
                [.object(ObjectRecord(.artwork, try Artwork(text: json), etag: nil))], run: run)
            try store.updateShownHistory()
        }
        for title in ["One", "Two", "Three"] { try apply(title) }
        for face in Face.allCases { #expect(try tally(run, face) == ChangeTally(created: 1)) }
        #expect(try store.tallies(since: "2027-01-15", to: .staff).map(\.tally) == [ChangeTally(created: 1)])
        try apply("Three", isPublished: false)
        #expect(try tally(run, .visitors) == ChangeTally() && tally(run, .staff) == ChangeTally(created: 1))
        _ = try store.apply([.tombstone(kind: .artwork, id: "a", evidence: "test")], run: run)
        try store.updateShownHistory()
        for face in Face.allCases { #expect(try tally(run, face) == ChangeTally()) }
    }

    @Test func changesAreCountedOnceIfTwoProgramsCountThemAtTheSameTime() throws {
        let first = try put(artwork("a", #""title":"One""#))
        let start = try store.read { try CatalogueStore.shown(in: $0) }
        let second = try put(artwork("a", #""title":"Two""#), artwork("b", #""title":"B""#))
        // The other program read the state before this one counted.
        try store.updateShownHistory(from: start, to: 3)
        try store.updateShownHistory(from: (0, 0), to: 3)
        for face in Face.allCases {
            #expect(try tally(first, face) == ChangeTally(created: 1))
            #expect(try tally(second, face) == ChangeTally(created: 1, updated: 1))
        }
        let counted = try store.read { try CatalogueStore.shown(in: $0) }
        #expect(counted.marked == 3 && counted.tallied == 3)
    }

    /// The log doesn't have the artworks of a snapshot one by one.
    @Test func anArtworkOfASnapshotThatBecomesHiddenLosesItsNumber() throws {
        let run = try test.beginRun()
        let objects: [Write] = try [
            artwork("a", #""title":"A""#), artwork("b", #""title":"B""#),
            artwork("c", #""title":"C","published":false"#),
        ].map { .object(ObjectRecord(.artwork, try Artwork(text: $0), etag: nil)) }
        _ = try store.load(objects, of: "p", run: run, upTo: LoadPosition(), continues: false)
        try store.commitLoaded()
        try store.endLoading(isComplete: true)
        try store.updateShownHistory()
        #expect(try tally(run, .visitors) == ChangeTally(created: 2))
        #expect(try store.lastLoad()?.run == run)
        for face in Face.allCases {
            #expect(try store.dates(of: .artwork, "a", for: face).first?.run == run)
        }
        // Hidden, shown and hidden again; the other was not counted.
        for isPublished in [false, true, false] {
            try put(artwork("a", #""title":"A","published":\#(isPublished)"#))
        }
        for isPublished in [true, false] {
            try put(artwork("c", #""title":"C","published":\#(isPublished)"#))
        }
        #expect(try tally(run, .visitors) == ChangeTally(created: 1))
        #expect(try tally(run, .staff) == ChangeTally(created: 3))
        try put(artwork("c", #""title":"C","published":true"#), artwork("d", #""title":"D""#))
        #expect(try store.load(of: .artwork, "c", for: .staff)?.run == run)
        #expect(try store.load(of: .artwork, "c", for: .visitors) == nil, "it was hidden when it was loaded")
        #expect(try store.load(of: .artwork, "d", for: .staff) == nil, "it came later")
    }

    @Test func addingAHiddenArtworkToAShowIsNotShownToVisitors() throws {
        try put(artwork("seen", #""title":"A""#), artwork("hidden", #""title":"B","published":false"#))
        let run = try test.beginRun()
        try test.put(.make(.show, "s"), run: run)
        _ = try test.members(Owner(.show, "s"), ["seen"], run: run)
        _ = try test.finish(run, kinds: [])
        for ids in [["seen", "hidden"], ["hidden"]] {
            let run = try test.beginRun()
            _ = try test.members(Owner(.show, "s"), ids, run: run)
            _ = try test.finish(run, kinds: [])
        }
        try store.updateShownHistory()
        let lists = try store.shownChanges(.object(.show, "s"), to: .visitors, limit: 10).changes.filter {
            $0.list != nil
        }
        #expect(
            lists.map(\.before) == [#"["seen","hidden"]"#], "only the removal of the artwork that they see")
        #expect(
            try store.shownChanges(.object(.show, "s"), to: .staff, limit: 10).changes.filter {
                $0.list != nil
            }.count == 2)
    }

    @Test func pagesOfChangesMeetEachChangeOnce() throws {
        for number in 1...5 { try put(artwork("a\(number)", #""title":"One""#)) }
        for face in Face.allCases {
            var seen: [Int64] = [], last: Int64?, hasMore = true
            while hasMore {
                let page = try store.shownChanges(.all, to: face, before: last, limit: 2)
                seen += page.changes.map(\.seq)
                (last, hasMore) = (page.changes.last?.seq, page.hasMore)
            }
            #expect(seen == [5, 4, 3, 2, 1])
            let back = try store.shownChanges(.all, to: face, after: 1, limit: 2)
            #expect(back.changes.map(\.seq) == [3, 2] && back.hasMore)
            let newest = try store.shownChanges(.all, to: face, after: 3, limit: 2)
            #expect(newest.changes.map(\.seq) == [5, 4] && !newest.hasMore)
            #expect(try store.shownChanges(.all, to: face, before: 5, limit: 0).hasMore)
        }
    }

    @Test func `A local change after a run leaves the run's numbers as they are`() throws {
        let run = try put(artwork("a", #""title":"One""#))
        try store.createAlbum(.make(.album, "local", name: "Mine"), key: "key")
        #expect(try store.isShownHistoryBehind())
        #expect(try store.countedRuns([run]) == [run])
        let next = try test.beginRun()
        try test.put(.make(.artist, "r"), run: next)
        #expect(try store.countedRuns([run, next]) == [run], "the next run is under way")
        try store.updateShownHistory()
        #expect(try store.countedRuns([run, next]) == [run, next])
    }

    @Test(arguments: ["change_tally", "shown_change"])
    func aLostTableIsFilledAgain(table: String) throws {
        let run = try put(artwork("a", #""title":"One""#))
        try store.write { try $0.execute(sql: "DROP TABLE \(table)") }
        try store.createMissingTables()
        #expect(try store.isShownHistoryBehind())
        try put(artwork("b", #""title":"One""#))
        #expect(try shown(.visitors) == ["create b", "create a"])
        #expect(try tally(run, .visitors) == ChangeTally(created: 1))
        #expect(try !store.isShownHistoryBehind())
    }

    /// Only restored states older than 100 days may be left in the log.
    @Test func numbersThatWereTrimmedAreNotCountedAgain() throws {
        let run = try put(artwork("a", #""title":"One""#))
        try store.write { try $0.execute(sql: "DELETE FROM change_tally") }
        #expect(try !store.isShownHistoryBehind())
        try store.updateShownHistory()
        #expect(try tally(run, .staff) == nil)
    }

    @Test func aDamagedStateInTheLogStopsNoRun() throws {
        try put(artwork("a", #""title":"One""#))
        try store.write {
            try $0.execute(
                sql: """
                    INSERT INTO change (run, at, kind, id, action, list, before) VALUES
                      (1, '2027-01-16', 'artwork', 'a', 'update', NULL, '{'),
                      (1, '2027-01-16', 'artwork', 'x', 'create', NULL, NULL),
                      (1, '2027-01-16', 'artwork', 'x', 'delete', NULL, '['),
                      (1, '2027-01-16', 'show', 's', 'update', 'artworks', '{')
                    """)
        }
        try store.updateShownHistory()
        #expect(try shown(.visitors).contains("create a"))
    }

    @Test func `the latest changes name the fields that the face may see`() throws {
        try put(artwork("a", #""title":"One","published":true"#))
        try put(artwork("b", #""title":"B""#))
        try put(
            artwork(
                "a", #""title":"Two","published":true,"price":"1","updated_at":"2027-01-02T00:00:00Z""#))
        func fields(_ face: Face) throws -> [[String]] {
            try store.latestChanges(for: face, limit: 9).map { $0.fields.map(\.name) }
        }
        #expect(try fields(.staff) == [["price", "title"], []])
        #expect(try fields(.visitors) == [["title"], []])
    }

    @Test func aDamagedStateInTheLogIsLeftOutOfTheLatestChanges() throws {
        try put(artwork("a", #""title":"One""#))
        try put(artwork("b", #""title":"B""#))
        try store.write {
            try $0.execute(
                sql: """
                    INSERT INTO change (run, at, kind, id, action, before) VALUES
                      (2, '2027-01-16', 'artwork', 'x', 'delete', '['), (2, '2027-01-16', 'artwork', 'a', 'update', '{')
                    """)
        }
        #expect(try store.latestChanges(for: .staff, limit: 9).map(\.id) == ["a", "b"])
        #expect(try store.lastDeletion(of: .artwork, "x") == nil)
    }

    @Test func aTrimmedLogHasNoNumbersOfItsOldChanges() throws {
        try put(artwork("a", #""title":"One""#))
        test.pass(200 * 86_400)
        let run = try put(artwork("b", #""title":"One""#))
        try store.trimHistory(
            olderThan: CatalogueStore.text(of: store.now().addingTimeInterval(-100 * 86_400)))
        #expect(try shown(.visitors) == ["create b"])
        #expect(try store.tallies(since: "2000-01-01", to: .staff).count == 1)
        #expect(try tally(run, .visitors) == ChangeTally(created: 1))
    }

    @Test func aDeletedObjectIsFoundByItsSlug() throws {
        try put(artwork("a", #""title":"One","slug":"the-one""#))
        #expect(try store.lastDeletion(of: .artwork, "the-one") == nil)
        try put(remove: ["a"])
        #expect(try store.lastDeletion(of: .artwork, "the-one")?.id == "a")
        #expect(try store.lastDeletion(of: .artwork, "a")?.id == "a")
        #expect(try store.lastDeletion(of: .artist, "the-one") == nil)
        try put(artwork("a", #""title":"One","slug":"the-one""#))
        #expect(try store.lastDeletion(of: .artwork, "the-one") == nil, "it is stored again")
    }

    @Test func theQueriesOfTheHistoryUseIndexes() throws {
        try put(artwork("a", #""title":"One""#))
        _ = try store.updates(since: "2027-01-01")
        let queries = [
            "SELECT day, sum(created) FROM change_tally WHERE day >= '2027' GROUP BY day",
            "SELECT kind, created FROM change_tally WHERE run = 1",
            "SELECT c.seq FROM shown_change s INDEXED BY shown_change_of_run CROSS JOIN change c ON c.seq = s.seq WHERE s.run = 1 AND s.seq < 9 ORDER BY s.seq DESC LIMIT 41",
        ]
        for sql in queries {
            let plan = try store.read {
                try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
            }
            #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(sql): \(plan)")
        }
    }

    @Test func anArtworkThatComesBackHiddenLosesItsEarlierChanges() throws {
        let first = try put(artwork("a", #""title":"One","published":true"#), artwork("b", #""title":"B""#))
        let second = try put(remove: ["a"])
        #expect(try shown(.visitors) == ["delete a", "create b", "create a"])
        try put(artwork("a", #""title":"One","published":false"#))
        #expect(try shown(.visitors) == ["create b"])
        #expect(try tally(first, .visitors) == ChangeTally(created: 1))
        #expect(try tally(second, .visitors) == ChangeTally())
        #expect(try store.latestChanges(for: .visitors, limit: 5).isEmpty)
        try put(remove: ["a"])
        #expect(try shown(.visitors) == ["create b"])
    }
}
