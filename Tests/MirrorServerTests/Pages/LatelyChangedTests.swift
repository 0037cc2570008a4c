import Catalogue
import Testing

@testable import MirrorServer
@testable import MirrorStore

@Suite("What changed lately, on the home page") struct LatelyChangedTests {
    @Test(
        arguments: [
            ([], nil), (["availability", "location_id"], "availability, location"),
            (["availability", "image_rights", "title"], "availability, image rights, title"),
            (["a", "b", "c", "d", "e"], "a, b, c and two more"),
        ] as [([String], String?)])
    func `at most three fields are named`(_ fields: [String], _ text: String?) {
        let new = JSONObject(fields.map { ($0, .string("new")) })
        #expect(LatelyChanged.fields(FieldChanges.between(JSONObject(), new)) == text)
    }

    @Test func `a work without a title is upright, and the fields follow the artist`() throws {
        func row(_ title: String?) -> PageBlock.ChangeRow {
            PageBlock.ChangeRow(
                action: .update, kind: nil, title: title, untitled: "Untitled", href: "/x", detail: "Anna",
                fields: "price", day: "Today")
        }
        let block = PageBlock.changes("Changed lately", [row("One"), row(nil)], after: ("All", "/history"))
        let text = try #require(PageTemplates.embedded.render("blocks", ["blocks": .many([block.shown])]))
        let end = ", <span dir=\"auto\">Anna</span>: <span dir=\"auto\">price</span></span>"
        #expect(text.contains("<a href=\"/x\"><cite dir=\"auto\">One</cite></a>" + end))
        #expect(text.contains("<a href=\"/x\"><span dir=\"auto\">Untitled</span></a>" + end))
    }
}
