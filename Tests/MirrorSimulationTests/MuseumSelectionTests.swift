import Catalogue
import CatalogueSources
import Testing

@testable import MirrorSimulation

/// The selections of the built-in descriptions, as their imitations answer them.
@Suite("Selections of the museums' imitations") struct MuseumSelectionTests {
    typealias Fixture = ImitationFixture
    typealias Museum = ImitatedMuseum.Name

    private static let departments = ["Prints", "Furniture", "Arms & Armour"]
    private static let museums = Museum.allCases.filter(\.selectsDepartments)

    private static func description(_ museum: Museum) throws -> SourceDescription {
        try SourceFolder(nil).description(named: museum.rawValue)
    }

    @Test(arguments: Museum.allCases.filter { $0 != .lighthouse })
    func `an imitation answers the selections of its description, and no others`(_ museum: Museum) throws {
        let names = try Self.description(museum).selections.keys.sorted()
        #expect(names == (museum.selectsDepartments ? ["department"] : []))
    }

    /// Reads the artworks of a department by the description, in pages of four.
    private func crawl(
        _ fixture: Fixture, _ department: String, isThin: Bool
    ) throws -> (ids: Set<ExactText>, verdict: ListProof.Verdict?) {
        let museum = fixture.museum.name, description = try Self.description(museum)
        let reader = try SourceReader(description, file: museum.rawValue)
        var list = try #require(description[.artwork]?.list)
        list.size = list.size == nil ? nil : 4
        let selection = try #require(description.selections["department"])
        let value = try #require(museum.selection(ofDepartment: department))
        var crawl = try ListCrawl(list, for: .selection(selection, value: value, thin: isThin))
        while let request = crawl.next {
            let answer = fixture.request(request.url)
            #expect(answer.status == 200, "\(request.url)")
            let page = try reader.page(answer.bytes, of: .artwork, thin: isThin)
            crawl.receive(
                ListPage(
                    page.rows.map { ListPage.Entry($0.id, version: $0.version, changed: $0.changed) },
                    skipped: page.skipped, total: page.total, pages: page.pages, form: page.form))
        }
        return (crawl.proof.ids, crawl.verdict)
    }

    @Test(arguments: museums, [false, true])
    func `a selected department is read completely by the description`(
        _ museum: Museum, _ isThin: Bool
    ) throws {
        let fixture = try Fixture(museum, artworks: Fixture.artworks(40, in: Self.departments))
        for (place, department) in Self.departments.enumerated() {
            let found = try crawl(fixture, department, isThin: isThin)
            let expected = (1...40).filter { $0 % 3 == place }.map { ExactText(String($0)) }
            #expect(found.verdict == .complete && found.ids == Set(expected), "\(department)")
        }
        let unknown = try crawl(fixture, "Submarines", isThin: isThin)
        #expect(unknown.verdict == .complete && unknown.ids == [])
    }

    // "Documentation says 10,000 results; code says `max_resources_guest = 1000`"
    @Test func `a department that doesn't fit into the search's window isn't complete`() throws {
        let fixture = try Fixture(.artic, artworks: Fixture.artworks(1_100, in: ["Prints"]))
        let found = try crawl(fixture, "Prints", isThin: true)
        #expect(found.ids.count == 1_000 && found.verdict != .complete)
    }

    @Test(
        arguments: [
            (#"{"department":"Prints","category":"Etchings"}"#, "Prints"),
            (#"{"department":"","category":"Etchings"}"#, "Etchings"),
            (#"{"category":"Etchings"}"#, "Etchings"),
            (#"{"category":""}"#, nil), ("{}", nil),
        ] as [(String, String?)]) func `an artwork without a department belongs to that of its category`(
            _ artwork: String, _ name: String?
        ) throws
    {
        let object = try #require(JSONValue(parsing: artwork).objectValue)
        #expect(ArtworkRecord.Department(of: object)?.name == name)
    }

    @Test func `departments have numbers of up to five digits, always the same ones`() {
        let numbers = Self.departments.map { ArtworkRecord.Department($0).number }
        #expect(Set(numbers).count == 3 && numbers.allSatisfy { (1...99_999).contains($0) })
        #expect(numbers == Self.departments.map { ArtworkRecord.Department($0).number })
    }
}
