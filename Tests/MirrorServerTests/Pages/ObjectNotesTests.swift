import Catalogue
import Testing

@testable import MirrorServer
@testable import MirrorStore

@Suite("Notes on the pages of objects") struct ObjectNotesTests {
    private let test: TestServer

    init() throws {
        test = try TestServer(catalogue: false)
        try test.put(artwork: "o", ("title", "One"))
        try test.put(artist: "o", ("name", "Rembrandt"))
        for kind in [Kind.show, .album, .location] { try test.store.put(kind, "o") }
    }

    @Test(arguments: ["artwork", "artist", "show", "album", "location"])
    func `the staff sees the notes of an object, and visitors don't`(name: String) async throws {
        let kind = try #require(Kinds.standard[name])
        _ = try test.store.addNote("Ask for the loan\n<b>soon</b>", to: kind, "o")
        for path in ["/\(name)/o", "/\(name)/o.json"] {
            let shown = try await test.page(path, of: test.forStaff())
            #expect(shown.status == 200 && shown.text.contains("Ask for the loan"), "\(path)")
            #expect(try await !test.page(path).text.contains("Ask for the loan"), "\(path)")
        }
        let text = try await test.page("/\(name)/o", of: test.forStaff()).text
        #expect(text.contains("15 January 2027: Ask for the loan</p>"))
        #expect(text.contains("&lt;b&gt;soon&lt;/b&gt;</p>") && text.contains("<h2 id=\"notes\""))
    }

    @Test func `the latest 20 notes are shown, and the JSON has all`() async throws {
        for number in 1...21 { _ = try test.store.addNote("Note number \(number).", to: .artwork, "o") }
        let text = try await test.page("/artwork/o", of: test.forStaff()).text
        #expect(text.contains("Note number 21.") && !text.contains("Note number 1."))
        #expect(text.contains("The whole text, in the JSON"))
        let json = try await test.page("/artwork/o.json", of: test.forStaff()).json().objectValue
        #expect(json?["notes"]?.arrayValue?.count == 21)
    }

    @Test func `an object without notes has no section for them`() async throws {
        #expect(try await !test.page("/artwork/o", of: test.forStaff()).text.contains("id=\"notes\""))
        #expect(try await !test.page("/artist/o.json", of: test.forStaff()).text.contains("notes"))
    }
}
