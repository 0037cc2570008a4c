import CatalogueSources
import Testing

@Suite struct URLTemplateTests {
    @Test func valuesArePercentEncodedAndLiteralTextIsKept() throws {
        let template = try URLTemplate("/art/?range=[modified:%7B{since:instant}%3B*%7D]&object_number={id}")
        #expect(
            template.filled([.sinceInstant: "2026-01-01T00:00:00.000Z", .id: "XX 1/&?"])
                == "/art/?range=[modified:%7B2026-01-01T00%3A00%3A00.000Z%3B*%7D]&object_number=XX%201%2F%26%3F"
        )
        #expect(template.placeholders == [.sinceInstant, .id])
    }

    @Test func severalIdsAreJoinedByCommas() throws {
        let template = try URLTemplate("/artworks?ids={ids}&limit={size}")
        #expect(
            template.filled([.ids: URLTemplate.joined(["1", "a,b"]), .size: "100"])
                == "/artworks?ids=1,a%2Cb&limit=100")
    }

    @Test(arguments: [
        ("/a/{idd}", "There is no placeholder {idd}."), ("/a/{id", "A brace has no partner."),
        ("/a/}", "A brace has no partner."), ("/a/{}", "There is no placeholder {}."),
    ]) func anUnknownPlaceholderIsRefused(_ text: String, _ message: String) {
        let failure = #expect(throws: URLTemplate.Failure.self) { try URLTemplate(text) }
        #expect(failure?.message.hasPrefix(message) == true)
    }
}
