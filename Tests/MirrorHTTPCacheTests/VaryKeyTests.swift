import Testing

@testable import MirrorHTTP

/// `vary`, `vary-parse`.
struct VaryKeyTests {
    private func matches(_ vary: [String], _ first: HeaderFields, _ second: HeaderFields) -> Bool {
        var response = HeaderFields()
        for value in vary { response.append("Vary", value) }
        return VaryKey(response: response, request: first)?.matches(second) ?? false
    }

    @Test(
        arguments: [
            (["Foo"], ["Foo": "1"], ["Foo": "1"], true), (["Foo"], ["Foo": "1"], ["Foo": "2"], false),
            (["Foo"], ["Foo": "1"], [:], false), (["Foo"], [:], ["Foo": "1"], false),
            (["Foo"], [:], [:], true),
            (["Foo"], ["Foo": ""], [:], false), (["FOO"], ["foo": "1"], ["Foo": "1"], true),
            (["Foo"], ["Foo": "1", "Other": "2"], ["Foo": "1", "Other": "3"], true),
            (["Foo, Bar"], ["Foo": "1", "Bar": "a"], ["Bar": "a", "Foo": "1"], true),
            (["Foo", "Bar"], ["Foo": "1", "Bar": "a"], ["Foo": "1", "Bar": "b"], false),
            (["Foo,,Bar,"], ["Foo": "1"], ["Foo": "1", "Bar": "b"], false),
            (["Foo"], ["Foo": "1,2"], ["Foo": " 1, 2 "], true),
            (["Foo"], ["Foo": "1, 2"], ["Foo": "1", "foo": "2"], true),
            (["Foo"], ["Foo": "1, 2"], ["Foo": "2, 1"], false), (["Foo"], ["Foo": "a"], ["Foo": "A"], false),
            (["Accept"], ["Accept": "Application/JSON"], ["Accept": "application/json"], true),
            (["Accept-Language"], ["Accept-Language": "en, de"], ["Accept-Language": "en,DE"], true),
            (["*"], [:], [:], false), (["*, *"], [:], [:], false), (["", "*"], [:], [:], false),
            (["Foo, *"], ["Foo": "1"], ["Foo": "1"], false), ([", *"], [:], [:], false),
            ([""], [:], ["A": "1"], true),
            (["Foo"], ["Foo": "a: b"], ["Foo": "a: b"], true),
            (["Foo"], ["Foo": "a\nb"], ["Foo": "a\nb"], true),
            (["Foo"], ["Foo": "a\n\u{301}b"], ["Foo": "a\n\u{301}b"], true),
        ] as [([String], HeaderFields, HeaderFields, Bool)])
    func aRequestMatchesAnEntryWithTheSameVaryValues(
        _ vary: [String], _ first: HeaderFields, _ second: HeaderFields, _ expected: Bool
    ) {
        #expect(matches(vary, first, second) == expected)
    }

    @Test func aResponseWithVaryStarIsNotStored() {
        #expect(stored(response(200, ["Cache-Control": "max-age=60", "Vary": "*"])) == nil)
    }

    @Test(arguments: ["Authorization", "Cookie", "X-Access-Token"])
    func theVaryKeyContainsNoCredentials(_ name: String) throws {
        let key = try #require(VaryKey(response: ["Vary": name], request: [name: "s3cret"]))
        #expect(!key.text.contains("s3cret"))
        #expect(key.matches([name: "s3cret"]))
        #expect(!key.matches([name: "other"]))
    }
}
