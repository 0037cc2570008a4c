import Catalogue
import Foundation
import Testing

@testable import MirrorStore

@Suite("Lists that are kept up to date by changes") struct ListChangesTests {
    private static let list = TestStore.listName(.artwork)

    /// A store whose list of artworks was applied, with the members `a` to `c` at version 1.
    private func test() throws -> TestStore {
        let test = try TestStore()
        let draft = try test.store.begin(
            Self.list, with: ["a", "b", "c"].map { (id: $0, etag: "1", lists: nil) })
        try test.store.commit(
            draft, answer: ListAnswer(list: Self.list, etag: nil, date: 7), count: 3, run: 1)
        return test
    }

    /// The members in their order, with their versions.
    private func members(_ test: TestStore) throws -> [String] {
        let state = try #require(try test.store.listState(Self.list.url))
        let members = try test.store.members(
            of: state.number, version: state.version, kind: .artwork, after: -1, limit: 100)
        #expect(state.members == members.count)
        return members.map { "\($0.id) \($0.listedETag ?? "-")" }
    }

    @Test func `changes replace the versions of members, and new members are added at the end`() throws {
        let test = try test()
        try test.store.amend(Self.list, with: [("b", "2"), ("d", nil), ("é", "1"), ("d", "3"), ("c", nil)])
        #expect(try members(test) == ["a 1", "b 2", "c -", "d 3", "é 1"])
        try test.store.amend(Self.list, with: [])
        try test.store.amend(Self.list, with: [("d", "4"), ("e", "1")])
        #expect(try members(test) == ["a 1", "b 2", "c -", "d 4", "é 1", "e 1"])
        let state = try test.store.listState(Self.list.url)
        #expect(state?.date == 7 && state?.complete == true && state?.run == 1)
    }

    @Test func `changes of a list that was never applied are left out`() throws {
        let test = try TestStore()
        try test.store.amend(Self.list, with: [("a", "1")])
        #expect(try test.store.listState(Self.list.url) == nil)
        _ = try test.store.begin(Self.list, with: [(id: "a", etag: nil, lists: nil)])
        try test.store.amend(Self.list, with: [("b", "1")])
        #expect(try test.store.listState(Self.list.url)?.members == 0)
    }

    @Test func `the time of the last reading is kept when the since date changes`() throws {
        let test = try TestStore(), time = Date(timeIntervalSince1970: 1_700_000_000)
        try test.store.noteListRead(.artwork, at: time)
        #expect(try test.store.sinceRecords() == [:])
        try test.store.setSince(.artwork, to: "2026-01-01")
        try test.store.noteListRead(.artwork, at: time)
        try test.store.setSince(.artwork, to: "2026-01-02")
        #expect(
            try test.store.sinceRecords()[.artwork] == SinceRecord(since: "2026-01-02", auditedAt: time))
    }
}
