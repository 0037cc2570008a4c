import Catalogue
import Testing

@testable import MirrorServer
@testable import MirrorStore

/// What only the staff's pages say.
@Suite("Pages for the staff") struct StaffPagesTests {
    private let test: TestServer

    init() throws { test = try TestServer(catalogue: false) }

    @Test func `the label has both prices`() async throws {
        try test.put(artwork: "a", ("price", "PUBLIC"), ("internal_display_price", "INNER"))
        let text = try await test.page("/artwork/a", of: test.forStaff()).text
        #expect(text.contains(">PUBLIC</p>") && text.contains(">Internal price: INNER</p>"))
        let seen = try await test.page("/artwork/a").text
        #expect(!seen.contains("PUBLIC") && !seen.contains("INNER"))
    }

    @Test func `the first page has the partner's own fields, and visitors see those that are surely public`()
        async throws
    {
        let partner: JSONObject = [
            "id": "p", "name": "The Gallery", "region": "Europe", "contract_type": "Monthly", "note": "Inner",
            "admin": ["name": "Ada"], "email": "",
        ]
        func labels(_ face: Face) -> [String] { PartnerRecord.facts(partner, for: face).map(\.label) }
        #expect(labels(.staff) == ["Admin", "Contract type", "Note", "Region"])
        #expect(labels(.visitors) == ["Region"])
        try test.store.put(.partner, "p1", #"{"id":"p1","name":"The Partner","note":"Written by hand"}"#)
        try test.put(artwork: "a", ("title", "One"))
        try test.store.updateSearchIndex()
        #expect(try await test.page("", of: test.forStaff()).text.contains("Written by hand"))
        #expect(try await !test.page("").text.contains("Written by hand"))
    }

    @Test func `unpublished works and private albums are marked in lists`() async throws {
        try test.put(artwork: "a", ("title", "Shut"), ("published", false))
        try test.put(artwork: "b", ("title", "Open"))
        let album: JSONObject = ["id": "m", "name": "Inner", "private": true]
        _ = try test.store.apply(
            [.object(ObjectRecord(.album, try Kind.album.type.init(album), etag: nil))], run: nil)
        try test.store.updateSearchIndex()
        let works = try await test.page("/artworks", of: test.forStaff()).text
        #expect(works.ranges(of: "Unpublished").count == 1)
        #expect(try await !test.page("/artworks").text.contains("Unpublished"))
        for path in ["", "/albums"] {
            #expect(try await test.page(path, of: test.forStaff()).text.contains("Private<"), "\(path)")
        }
    }
}
