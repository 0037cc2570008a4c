import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// "A kind that isn't described is gathered from the artworks that name it (artists, locations), or absent."
@Suite("Objects that artworks name", .limitedConcurrency) struct GatheredObjectTests {
    private static func artists(_ artists: JSONObject...) -> JSONObject {
        ["artists": .array(artists.map(JSONValue.object))]
    }

    private static let ada: JSONObject = ["id": "11", "name": "Ada Maker", "born": "1850"]
    /// Ada without her year.
    private static let sparse: JSONObject = ["id": "11", "name": "Ada Maker"]
    private static let bo: JSONObject = ["id": "12", "name": "Bo Carver"]

    private func museum(
        _ works: [JSONObject], _ change: (inout SmallDescription) -> Void = { _ in }
    ) throws -> ScriptedMuseum {
        try ScriptedMuseum(
            SmallDescription {
                $0.object = SmallDescription.artists
                $0.row = "SELECT :body ->> 'title' AS title, :body ->> 'room' AS location"
                change(&$0)
            }, works: works)
    }

    private func artist(_ id: String, _ museum: ScriptedMuseum) throws -> Artist? {
        try museum.mirror.read { try $0.fetch(Artist.self, id: id) }
    }

    private func change(_ museum: ScriptedMuseum, _ id: String, version: String, _ fields: JSONObject)
        async throws
    {
        museum.change(id, fields)
        museum.change(id, ["version": .string(version)])
        museum.mirror.pass(days: 1)
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
    }

    // MARK: - Artists

    @Test(arguments: [[0, 1], [1, 0]]) func `an absent field erases nothing`(order: [Int]) async throws {
        let works = [
            ScriptedMuseum.work("1", Self.artists(Self.ada)),
            ScriptedMuseum.work("2", Self.artists(Self.sparse)),
        ]
        let museum = try museum(order.map { works[$0] })
        #expect(try await museum.sync().outcome == .complete)
        #expect(try artist("11", museum)?.birthday == "1850")
        try await change(museum, "1", version: "b", Self.artists(Self.sparse))
        #expect(try artist("11", museum)?.birthday == "1850")
        #expect(try artist("11", museum)?.name == "Ada Maker")
    }

    @Test func `a changed field replaces the earlier one`() async throws {
        let museum = try museum([ScriptedMuseum.work("1", Self.artists(Self.ada))])
        #expect(try await museum.sync().outcome == .complete)
        try await change(
            museum, "1", version: "b", Self.artists(["id": "11", "name": "Ada M. Maker", "born": "1851"]))
        let artist = try artist("11", museum)
        #expect(artist?.birthday == "1851" && artist?.name == "Ada M. Maker")
    }

    @Test func `an artist whom no work names any more is removed`() async throws {
        let museum = try museum([
            ScriptedMuseum.work("1", Self.artists(Self.ada)), ScriptedMuseum.work("2", Self.artists(Self.bo)),
        ])
        #expect(try await museum.sync().outcome == .complete)
        #expect(try museum.mirror.ids(.artist) == ["11", "12"])
        try await change(museum, "2", version: "b", Self.artists(Self.ada))
        #expect(try museum.mirror.ids(.artist) == ["11"])
    }

    @Test func `an artist whom no work names stays if the list is incomplete`() async throws {
        let museum = try museum(
            ScriptedMuseum.works(3, Self.artists(Self.ada)) + [
                ScriptedMuseum.work("4", Self.artists(Self.bo)), ScriptedMuseum.work("5"),
            ])
        #expect(try await museum.sync().outcome == .complete)
        museum.change("4", Self.artists(Self.ada))
        museum.change("4", ["version": "b"])
        museum.answer { $0 == "/works?page=3&size=2" ? ScriptedMuseum.failure(500) : nil }
        #expect(try await museum.sync().outcome != .complete)
        #expect(try museum.mirror.ids(.artist).contains("12"))
    }

    @Test func `an artist of a work is not requested`() async throws {
        let museum = try museum([ScriptedMuseum.work("1", Self.artists(Self.ada))])
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete && summary.objects["artist"]?.created == 1)
        #expect(museum.requests().allSatisfy { $0.hasPrefix("/works") })
    }

    // MARK: - Locations

    @Test func `locations have the artworks that are there`() async throws {
        let museum = try museum([
            ScriptedMuseum.work("1", ["room": "Room 1"]), ScriptedMuseum.work("2", ["room": "Room 1"]),
            ScriptedMuseum.work("3"),
        ])
        func rooms() throws -> [String: [String]] {
            try museum.mirror.read { store in
                var rooms: [String: [String]] = [:]
                for room in try store.fetchAll(Location.self) {
                    rooms[room.name ?? ""] = try store.artworks(of: Owner(.location, room.id)).map(\.id)
                        .sorted()
                }
                return rooms
            }
        }
        #expect(try await museum.sync().outcome == .complete)
        #expect(try rooms() == ["Room 1": ["1", "2"]])
        try await change(museum, "2", version: "b", ["room": "Room 2"])
        #expect(try rooms() == ["Room 1": ["1"], "Room 2": ["2"]])
        try await change(museum, "1", version: "b", ["room": .null])
        #expect(try rooms() == ["Room 2": ["2"]], "a location that no work names is removed")
    }

    // MARK: - Described kinds

    private static let shows = """
        shows:
          list:
            form: whole
            get: /shows
            rows: SELECT value ->> 'id' AS id, value ->> 'version' AS version FROM json_each(:body, '$.data')
          object:
            get: /shows/{id}
            is: SELECT :body ->> 'id'
            row: SELECT :body ->> 'name' AS name
            members: SELECT value FROM json_each(:body, '$.works')
          gone: { by: absence, lists: 3, apart: 2d }
        """

    private func answerShow(_ museum: ScriptedMuseum, _ show: JSONObject) {
        let list: JSONObject = ["data": .array([.object(show)])]
        museum.answer { target in
            switch target {
            case "/shows": .text(list.canonicalText)
            case "/shows/31": .text(show.canonicalText)
            default: nil
            }
        }
    }

    @Test func `a show has its members in order, each once`() async throws {
        let museum = try museum(ScriptedMuseum.works(4)) { $0.kinds = Self.shows }
        func members() throws -> [String] {
            try museum.mirror.read { try $0.artworks(of: Owner(.show, "31")).map(\.id) }
        }
        answerShow(museum, ["id": "31", "name": "Chairs", "version": "a", "works": ["4", "1", "4"]])
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try members() == ["4", "1"])
        answerShow(museum, ["id": "31", "name": "Chairs", "version": "b", "works": ["2", "4"]])
        museum.mirror.pass(days: 1)
        #expect(try await museum.sync().outcome == .complete)
        #expect(try members() == ["2", "4"])
        museum.mirror.pass(days: 1)
        _ = museum.requests()
        #expect(try await museum.sync().hasChanges == false)
        #expect(!museum.requests().contains("/shows/31"))
    }

    private static let listedArtists = """
        artists:
          list:
            form: whole
            get: /artists
            rows: SELECT value ->> 'id' AS id, value ->> 'version' AS version, value AS object FROM json_each(:body, '$.data')
          object:
            get: /artists/{id}
            is: SELECT :body ->> 'id'
            row: SELECT :body ->> 'name' AS name
        """

    @Test func `a described kind comes from its list, next to gathered ones`() async throws {
        let work = ScriptedMuseum.work(
            "1", ["room": "Room 1", "artists": [["id": "11", "name": "A. M."]], "department": "a"])
        let museum = try museum([work]) {
            $0.kinds = Self.listedArtists
            $0.top = "select:\n  department: { get: \"/works?department={value}&page={page}&size={size}\" }"
        }
        let list = ScriptedAnswer.text(
            #"{"data":[{"id":"11","name":"Ada Maker","version":"a"},{"id":"13","name":"Cy","version":"a"}]}"#)
        museum.answer { $0 == "/artists" ? list : nil }
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try museum.mirror.ids(.artist) == ["11", "13"])
        #expect(try artist("11", museum)?.name == "Ada Maker")
        #expect(try museum.mirror.ids(.location).count == 1)
        _ = museum.requests()
        // "artists and locations are gathered, other kinds are absent"
        let selected = try await museum.sync { $0.source.selection = [.init("department", "a")] }
        #expect(selected.outcome == .complete)
        #expect(!museum.requests().contains("/artists"))
        #expect(try museum.mirror.ids(.artist) == ["11", "13"], "a changed selection removes nothing")
    }
}
