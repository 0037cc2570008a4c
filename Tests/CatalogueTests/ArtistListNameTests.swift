import Catalogue
import Testing

@Suite struct ArtistListNameTests {
    struct Row: Sendable {
        let fields: JSONObject, name: String?

        init(_ name: String?, _ fields: JSONObject) { (self.fields, self.name) = (fields, name) }
    }

    @Test(arguments: [
        // Catalogues have the name to sort by in `sortable_id`.
        Row(
            "Bruegel, Pieter, the Elder",
            ["name": "Pieter Bruegel the Elder", "sortable_id": "Bruegel, Pieter, the Elder"]),
        Row("Leonardo da Vinci", ["name": "Leonardo da Vinci", "sortable_id": "Leonardo da Vinci"]),
        Row("J & L Lobmeyr", ["name": "J & L Lobmeyr", "sortable_id": " J & L Lobmeyr"]),
        Row("Canaletto", ["name": "Canaletto", "sortable_id": "Canaletto"]),
        Row("Dr. Lakra", ["name": "Dr. Lakra", "sortable_id": "Lakra"]),
        // The API has slugs.
        Row("Hokusai, Katsushika", ["name": "Katsushika Hokusai", "sortable_id": "hokusai-katsushika"]),
        Row("van Gogh, Vincent", ["name": "Vincent van Gogh", "sortable_id": "van-gogh-vincent"]),
        Row("Gogh, Vincent van", ["name": "Vincent van Gogh", "sortable_id": "gogh-vincent-van"]),
        Row("Cézanne, Paul", ["name": "Paul Cézanne", "sortable_id": "cezanne-paul"]),
        Row("Claude Monet", ["name": "Claude Monet", "sortable_id": "claude-monet"]),
        Row("Claude Monet", ["name": "Claude Monet", "sortable_id": "artist-4"]),
        // Names in parts come first.
        Row(
            "Turner, Joseph Mallord",
            ["name": "J. M. W. Turner", "first": "Joseph", "middle": "Mallord", "last": "Turner"]),
        Row("Turner, Joseph", ["first": "Joseph", "last": "Turner", "sortable_id": "turner, j. m. w."]),
        Row("Titian", ["name": "Titian", "last": "Titian"]),
        Row("Shown Name", ["name": "Stored Name", "display_name": "Shown Name"]),
        Row("only-an-id", ["sortable_id": "only-an-id"]),
        Row(nil, ["name": " "]), Row(nil, [:]),
    ])
    func `an artist's name in a list begins with the family name where it is known`(row: Row) throws {
        var fields = row.fields
        fields["id"] = "a"
        #expect(try Artist(fields).listName == row.name)
    }

    @Test func `a name of 100 kB is shown as it is`() throws {
        let name = String(repeating: "a ", count: 50_000) + "b"
        #expect(try Artist(["id": "a", "name": .string(name), "sortable_id": "b-a"]).listName == name)
    }
}
