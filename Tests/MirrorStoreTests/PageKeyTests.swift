import Catalogue
import Foundation
import Testing

@testable import MirrorStore

@Suite("Positions in lists")
struct PageKeyTests {
    @Test func `A position is read again from its text`() throws {
        let key = PageKey("year", [.number(-500), .text("dürer \u{10FFFF}"), .text(""), .text("a/b?c")])
        #expect(PageKey(key.text, in: .year) == key)
        #expect(key.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    }

    @Test func `the least values at the end are left out`() throws {
        let letter = try #require(PageKey.before(letter: "B", in: .artist))
        #expect(letter.values.count == 4)
        #expect(PageKey(letter.text, in: .artist) == letter)
        let century = PageKey.before(century: 19)
        #expect(PageKey(century.text, in: .year) == century)
        #expect([letter.text.utf8.count, century.text.utf8.count].allSatisfy { $0 < 24 })
        let first = PageKey("title", [.text(""), .text("")])
        #expect(PageKey(first.text, in: .title) == first)
    }

    @Test func `A position of another order is refused`() {
        let key = PageKey("title", [.text("a"), .text("b")])
        #expect(PageKey(key.text, in: .title) != nil)
        #expect(PageKey(key.text, in: .artist) == nil)
        #expect(PageKey(key.text, namesOf: .artist) == nil)
        #expect(PageKey(key.text, membersOf: .show) == nil)
    }

    @Test(arguments: [
        "", "x", "====", "%00", "[]", "bnVsbA", "WyJ0aXRsZSIsMSwyXQ",
        "WyJ0aXRsZSIsImEiLCJiIiwiYyJd", "../../etc", "' OR 1=1 --", String(repeating: "W", count: 100_000),
    ])
    func `A forged position is refused`(_ text: String) {
        #expect(PageKey(text, in: .title) == nil)
        #expect(PageKey(text, in: .change) == nil)
        #expect(PageKey(text, namesOf: .show) == nil)
        #expect(PageKey(text, membersOf: .album) == nil)
    }

    @Test func `A NUL in a position is refused`() {
        #expect(PageKey(PageKey("title", [.text("a\0"), .text("b")]).text, in: .title) == nil)
    }
}
