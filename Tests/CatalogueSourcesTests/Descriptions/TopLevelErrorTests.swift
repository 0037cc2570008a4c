import CatalogueSources
import Testing

@Suite struct TopLevelErrorTests {
    @Test(arguments: [
        BadDescription(
            "source: tiny", "sorce: tiny",
            "1:1: There is no key \"sorce\" in the description. Did you mean \"source\"?"),
        BadDescription.top(
            "colour: red", "6:1: There is no key \"colour\" in the description. The keys are source, title,"),
        BadDescription.top(
            "\"\\e[31m\": red", "6:1: A key of the description contains the control character U+001B."),
        BadDescription.top("[a]: b", "6:1: A key of the description must be a text"),
        BadDescription(
            "source: tiny\n", "",
            "1:1: The key \"source\" is missing in the description. Give the source a name"),
        BadDescription("title: A Tiny Museum\n", "", "1:1: The key \"title\" is missing in the description."),
        BadDescription(
            "base: https://api.tiny.org/v1\n", "", "1:1: The key \"base\" is missing in the description."),
        BadDescription.top("title: Again", "2:1: The key \"title\" is written twice"),
        BadDescription.top("\"5\": a\n5: b", "7:1: The key \"5\" is written twice in the description."),
        BadDescription.top(
            "namespaces: {a: b}",
            "6:1: The key \"namespaces\" is not supported in this version; it comes in a later version."),
    ]) func aWrongKeyIsAnError(_ bad: BadDescription) { bad.check() }

    @Test(arguments: [
        BadDescription(
            "source: tiny", "source: Tiny", "1:9: source must be a name of 1 to 40 lowercase letters"),
        BadDescription("source: tiny", "source: -tiny", "1:9: source must be a name"),
        BadDescription("source: tiny", "source: ../tiny", "1:9: source must be a name"),
        BadDescription(
            "source: tiny", "source: \(String(repeating: "a", count: 41))", "1:9: source must be a name"),
        BadDescription(
            "source: tiny", "source: login", "1:9: source can't be \"login\": the server uses this name"),
        BadDescription("source: tiny", "source: sources", "1:9: source can't be \"sources\""),
        BadDescription("source: tiny", "source:", "1:8: source has no value. Write it behind the colon"),
        BadDescription("source: tiny", "source: ~", "1:9: source has no value."),
        BadDescription("A Tiny Museum", "[a]", "2:8: title must be a text, not a list or a mapping."),
        BadDescription("A Tiny Museum", "\"a\\nb\"", "2:8: title must be one line without tabs."),
        BadDescription(
            "A Tiny Museum", "\"a\\u202Eb\\0\"", "2:8: title contains the control character U+0000."),
        BadDescription(
            "A Tiny Museum", String(repeating: "a", count: 1_001),
            "2:8: title is longer than 1000 characters."),
        BadDescription.top(
            "website: museum.org", "6:10: website must be an address that begins with https:// or http://,"),
        BadDescription.top("website: javascript:alert(1)", "6:10: website must be an address"),
        BadDescription.top(
            "works: many", "6:8: works must be a whole number from 1 to 1000000000, but it is \"many\"."),
        BadDescription.top("works: 0", "6:8: works must be a whole number"),
        BadDescription.top("works: 99999999999999999999", "6:8: works must be a whole number"),
        BadDescription.top("rights: checked", "6:9: rights can only be unchecked, but it is \"checked\"."),
        BadDescription.top("contact: me", "6:10: contact must be an e-mail address or a web address"),
        BadDescription.top("contact: me)@museum.org", "6:10: contact must be an e-mail address"),
        BadDescription.top("language: English", "6:11: language must be the code of a language, such as en"),
    ]) func aWrongValueIsAnError(_ bad: BadDescription) { bad.check() }

    @Test(arguments: [
        "api.tiny.org", "ftp://api.tiny.org", "https://", "https://API.tiny.org",
        "https://me:secret@tiny.org",
        "https://tiny.org:0", "https://tiny.org:99999", "https://tiny.org:x", "https://ti ny.org",
        "https://tiny..org",
        "https://-tiny.org", "https://[::1", "https://[tiny]", "https://tïny.org", "//tiny.org",
    ]) func aBaseThatIsNoAddressIsAnError(_ base: String) {
        BadDescription(
            "https://api.tiny.org/v1", base, "3:7: base must be an address such as https://api.museum.org/v1"
        ).check()
    }

    @Test(arguments: ["?key=1", "/{id}", "#top"]) func aBaseWithAQueryIsAnError(_ end: String) {
        BadDescription("org/v1", "org/v1\(end)", "3:7: base can't have a query or placeholders.").check()
    }

    @Test(arguments: [
        ("https://images.tiny.org/", "Write images.tiny.org."), ("Images.Tiny.org", "Write images.tiny.org."),
        ("images.tiny.org/a", "Write a name such as"), ("\"*.tiny.org\"", "Write a name such as"),
        ("images.tiny.org:80", "Write a name such as"),
    ]) func aHostIsANameAlone(_ host: String, _ hint: String) {
        BadDescription(
            "[images.tiny.org]", "[\(host)]",
            "4:9: hosts contains host names only, in lower case, but this is"
        ).check()
        let error = TinyDescription.error(
            of: TinyDescription.replacing("[images.tiny.org]", with: "[\(host)]"))
        #expect(error?.message.contains(hint) == true)
    }

    @Test func hostsAreAList() {
        BadDescription("[images.tiny.org]", "images.tiny.org", "4:8: hosts must be a list").check()
    }

    @Test func aDescriptionNeedsAList() throws {
        let text = TinyDescription.text
        let list = try #require(text.firstRange(of: "  list:")),
            object = try #require(text.firstRange(of: "  object:"))
        let error = TinyDescription.error(of: String(text[..<list.lowerBound] + text[object.lowerBound...]))
        #expect(error?.description.hasPrefix("tiny.yaml:1:1: No kind has a list. Describe at least") == true)
    }
}
