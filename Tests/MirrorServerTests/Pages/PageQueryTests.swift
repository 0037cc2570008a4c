import Catalogue
import Testing

@testable import MirrorServer

@Suite("The query of a page's address")
struct PageQueryTests {
    private static let texts = [
        "", "oil on canvas", "a+b", "100 %", "a&b=c", "=", "señora", "#1", "\"<'>", "50%25", "a=b", "?/:@",
        " ",
        "\u{1}\n", "x\u{301}",
    ]

    private func items(of query: String) -> [NameValue]? { PageTarget.parse("/m/artworks?" + query)?.query }

    @Test(arguments: texts)
    func `items are read as they were written`(text: String) {
        let written = [NameValue("q", text), NameValue(".\(text)x", "1"), NameValue("sort", "title")]
        #expect(items(of: PageQuery.encode(written)) == written)
    }

    @Test(arguments: texts)
    func `items in the value of another query are read as they were written`(text: String) {
        let inner = [NameValue("medium", text), NameValue(".\(text)x", text)]
        let outer = [NameValue("in", PageQuery.nested(inner)), NameValue("picture", "2")]
        let read = items(of: PageQuery.encode(outer))
        #expect(read == outer)
        #expect(read.flatMap { FormBody.parse($0[0].value.utf8) } == inner)
    }

    @Test func `a query has only the escapes that it needs`() {
        let inner = [NameValue("medium", "oil on canvas"), NameValue("century", "19")]
        #expect(PageQuery.encode(inner) == "medium=oil+on+canvas&century=19")
        #expect(
            PageQuery.encode([NameValue("in", PageQuery.nested(inner))])
                == "in=medium=oil+on+canvas%26century=19")
    }

    @Test func `all other characters than those of a query are escaped`() {
        let all = String(decoding: (0...127).map { UInt8($0) }, as: UTF8.self)
        let allowed = Set(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$()*,;:@/?=+%".utf8)
        #expect(PageQuery.encode([NameValue(all, all)]).utf8.allSatisfy(allowed.contains))
    }
}
