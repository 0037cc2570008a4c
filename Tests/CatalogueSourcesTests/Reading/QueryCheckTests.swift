import Catalogue
import CatalogueSources
import Testing

@Suite struct QueryCheckTests {
    @Test func anErrorInSQLHasItsLineAndColumnInTheFile() throws {
        var description = TestDescription()
        description.row = "|\n      SELECT :body ->> 'title' AS title,\n             nonsense(:body) AS date"
        let error = #expect(throws: SourceDescriptionError.self) { try description.reader() }
        #expect(
            error?.description.hasPrefix(
                "test.yaml:16:14: The query can't be used: no such function: nonsense") == true,
            "\(error?.description ?? "")")
        description.row = "SELECT 'é' AS title, colour FROM json_each(:body)"
        let other = #expect(throws: SourceDescriptionError.self) { try description.reader() }
        #expect(
            other?.description.hasPrefix("test.yaml:14:31: The query can't be used: no such column: colour")
                == true, "\(other?.description ?? "")")
    }

    @Test(arguments: [
        ("rows", "SELECT value AS ident FROM json_each(:body)", "\"rows\" has no column \"id\"."),
        ("row", "SELECT 1 AS title, 2 AS title", "The query has two columns \"title\"."),
        (
            "row", "SELECT 1 AS artists",
            "\"row\" has a column \"artists\". Read it with a query of its own: \"artists\"."
        ),
        ("row", "SELECT 1 AS images", "\"row\" has a column \"images\"."),
        ("is", "SELECT 1, 2", "The query must give one value, but it has 2 columns."),
        ("is", "DELETE FROM json_each", "The query can't be used: "),
    ]) func aQueryWithoutWhatIsRequiredIsRefused(_ query: String, _ sql: String, _ message: String) {
        var description = TestDescription()
        switch query {
        case "rows": description.rows = sql
        case "row": description.row = sql
        default: description.identity = sql
        }
        let error = #expect(throws: SourceDescriptionError.self) { try description.reader() }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        #expect(error?.position != nil)
    }

    @Test(arguments: [
        (
            "artists: SELECT value AS creator FROM json_each(:body)",
            "\"artists\" has neither a column \"id\" nor a column \"name\"."
        ),
        (
            "images: SELECT value AS picture FROM json_each(:body)",
            "\"images\" has neither a column \"url\" nor a column \"iiif\"."
        ),
        (
            "batch: { get: \"/works?ids={ids}\", size: 10, rows: SELECT 1 AS id }",
            "\"batch: rows\" has no column \"object\"."
        ),
        ("volatile: [views]", "\"volatile\" names the column \"views\", but \"row\" has only title."),
        ("root: data", "artworks.object.root must be a path"),
        ("root: $..data", "The root \"$..data\" is no path."),
        ("absent: { where: SELECT 1 AS a FROM nowhere }", "The query can't be used: "),
    ]) func aPartOfAnObjectWithoutWhatIsRequiredIsRefused(_ line: String, _ message: String) {
        var description = TestDescription()
        description.object = [line]
        let error = #expect(throws: SourceDescriptionError.self) { try description.reader() }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    @Test func whatDeletionAndOrderNeedIsRequired() {
        var description = TestDescription()
        description.kind = ["gone: { by: signal }"]
        let gone = #expect(throws: SourceDescriptionError.self) { try description.reader() }
        #expect(gone?.message.hasPrefix("\"rows\" has no column \"gone\".") == true)
        description.kind = []
        (description.form, description.get) = ("page", "/works?page={page}")
        for order in [["order: changed_desc"], ["order: changed_desc", "until_older: true"]] {
            description.list = ["size: 10"] + order
            let changed = #expect(throws: SourceDescriptionError.self) { try description.reader() }
            #expect(changed?.message.hasPrefix("\"rows\" has no column \"changed\".") == true)
        }
    }

    @Test func aBatchNeedsObjectsInItsRowsOrTheLists() {
        var description = TestDescription()
        description.rows = "SELECT value AS id FROM json_each(:body)"
        description.object = ["batch: { get: \"/works?ids={ids}\", size: 10 }"]
        let error = #expect(throws: SourceDescriptionError.self) { try description.reader() }
        #expect(error?.message.contains("have no column \"object\"") == true)
    }

    @Test(arguments: ["met", "artic", "cleveland", "smk"]) func aBuiltInDescriptionCompiles(_ name: String)
        throws
    {
        #expect(try SourceReader(builtIn: name).description.id == name)
    }
}
