import CatalogueSources
import Foundation
import Testing

@Suite struct HostileYAMLTests {
    @Test(arguments: [
        ("", "hostile.yaml: The file is empty."), ("# only a comment\n", "hostile.yaml: The file is empty."),
        ("text", "hostile.yaml:1:1: A description must be a mapping"),
        ("[]", "hostile.yaml:1:1: A description must be a mapping"),
        ("---\n---\n", "hostile.yaml:2:1: A description is one YAML document"),
        (
            "source: a\n---\nsource: b\n",
            "hostile.yaml:2:1: A description is one YAML document, but a second one begins here."
        ),
        (
            "source: a\n...\n%YAML 1.1\n---\n",
            "hostile.yaml:3:1: Directives (lines that begin with %) are not supported."
        ),
        (
            "source:\tmet\n\ttitle: x",
            "hostile.yaml:2:1: This is not valid YAML: a tab can't be used for indentation."
        ),
        (
            "source: \"met\n",
            "hostile.yaml:1:9: This is not valid YAML: the quotation that begins here is not closed."
        ),
        (
            "source: met\ntitle: a: b\n",
            "hostile.yaml:2:9: This is not valid YAML: there is a second colon in the line"
        ),
        (
            "rate: { requests: 1/s\nbase: x\n",
            "hostile.yaml:2:5: This is not valid YAML: a mapping in braces needs commas"
        ),
        ("hosts: [a, b\n", "hostile.yaml:2:1: This is not valid YAML: a list in brackets needs commas"),
        (
            "source: @met\n",
            "hostile.yaml:1:9: This is not valid YAML: a value can't begin with this character."
        ),
        ("source: met\n  title: x\n", "hostile.yaml:2:8: This is not valid YAML: there is a second colon"),
        (
            "source: met\ntitle\n",
            "hostile.yaml:2:1: This is not valid YAML: a line has no colon."
        ),
        ("source: met\nsource: met\n", "hostile.yaml:1:1: The key \"source\" is written twice"),
        ("source: m\u{0}et\n", "hostile.yaml:1:10: The file contains the control character U+0000."),
        ("source: met\n\u{1B}[31m\n", "hostile.yaml:2:1: The file contains the control character U+001B."),
        (
            "source: met\n\u{FEFF}title: x\n",
            "hostile.yaml:2:1: The file contains the control character U+FEFF."
        ),
        ("\u{7F}", "hostile.yaml:1:1: The file contains the control character U+007F."),
        ("source: \"\\uD800\"\n", "hostile.yaml:1:"),
        ("source: !!binary aGk=\n", "hostile.yaml:1:9: Tags such as !name are not supported."),
        ("source: !met x\n", "hostile.yaml:1:9: Tags such as !name are not supported."),
        ("!!set {a, b}\n", "hostile.yaml:1:1: Tags such as !name are not supported."),
        ("source: !<tag:example.org,2000:x> y\n", "hostile.yaml:1:9: Tags such as !name are not supported."),
        ("<<: {source: met}\n", "hostile.yaml:1:1: There is no key \"<<\" in the description."),
        ("? {a: b}\n: c\n", "hostile.yaml:1:3: A key of the description must be a text"),
    ]) func hostileTextIsAnErrorWithAPlace(_ text: String, _ error: String) {
        let found = Self.error(of: text)
        #expect(found.description.hasPrefix(error), "\(found)")
    }

    @Test(arguments: [
        "source: &a met\n", "&a source: met\n", "? &a source\n: met\n", "source: &a\n", "hosts: [&a x]\n",
        "hosts: [x,&a y]\n", "{\"source\":&a met}\n", "--- &a\nsource: met\n", "source: &a !!str met\n",
        "source: &a,b met\n",
        "hosts:\n- &a\n  x\n", "hosts: [&a]\n", "rate: {&a x: y}\n", "rate: &a {x: y}\n", "rows: &a |\n  x\n",
        "source: !!str &a met\n", "source: &a \"met\"\n", "source: &a:b met\n", "rate: {&a: x}\n",
    ]) func anAnchorIsRefusedWhereverItStands(_ text: String) {
        let found = Self.error(of: text)
        let isYAMLError = found.message.hasPrefix("This is not valid YAML")
        #expect(
            found.message.hasPrefix("Anchors (&name) and aliases (*name) are not supported.") || isYAMLError,
            "\(found)")
        #expect(found.position != nil)
    }

    @Test func anAnchorsPlaceIsReported() {
        #expect(
            Self.error(of: "source: met\nhosts: [a, &b c]\n").description.hasPrefix(
                "hostile.yaml:2:12: Anchors (&name)"))
        #expect(
            Self.error(of: "source: met\ntitle: *met\n").description.hasPrefix(
                "hostile.yaml:2:8: Anchors (&name)"))
    }

    /// Nested aliases as a value, as a key, and in a list of keys: each would be 9 to the power of 40 nodes.
    @Test(.timeLimit(.minutes(1)), arguments: ["x: *a40", "? *a40\n: x", "*a40 : x", "x: {? [*a40] : y}"])
    func nestedAliasesAreRefusedAtOnce(_ use: String) {
        var text = "a0: &a0 [x]\n"
        for level in 1...40 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        let found = Self.error(of: text + use + "\n")
        #expect(found.description.hasPrefix("hostile.yaml:2:10: Anchors (&name)"), "\(found)")
    }

    /// A directive could make `!str` a tag of YAML's core, and so hide the anchor `&str`.
    @Test(arguments: ["\n", "\r", "\u{85}", "\u{2028}"]) func aDirectiveCannotHideAnAnchor(_ newline: String)
    {
        let text = "# x\(newline)%TAG ! tag:yaml.org,2002:\n---\na: &str [x]\nb: *str\n"
        #expect(Self.error(of: text).description.hasPrefix("hostile.yaml:2:1: Directives"))
    }

    @Test(arguments: ["[", "{a: ", "- ", "? ", "{? [", "a:\n"]) func deepNestingIsRefused(_ opening: String) {
        for count in [100, 900, 1_100, 5_000] {
            let found = Self.error(of: String(repeating: opening, count: count))
            #expect(found.file == "hostile.yaml")
        }
        let nested = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
        #expect(
            Self.error(of: "title: \(nested)\n").description.hasPrefix("hostile.yaml:1:1: The key \"source\"")
        )
    }

    @Test func deepNestingNeedsNoLargeStackOfTheCaller() async {
        let nested = String(repeating: "{a: ", count: 990) + String(repeating: "}", count: 990)
        let error = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: Self.error(of: nested)) }
            thread.stackSize = 256 * 1024
            thread.start()
        }
        #expect(error.description.hasPrefix("hostile.yaml:1:2: There is no key \"a\""))
    }

    @Test func aHugeTextIsRefusedAndALargeOneIsRead() {
        #expect(
            Self.error(of: String(repeating: "#", count: 1 << 20) + "\n").description
                == "hostile.yaml: The file is larger than 1 MiB, which no description needs to be. Check that it is the right file."
        )
        let title = TinyDescription.replacing(
            "A Tiny Museum", with: String(repeating: "long ", count: 200_000))
        #expect(
            TinyDescription.error(of: title)?.description.hasPrefix("tiny.yaml:2:8: title is longer than")
                == true)
        let row = TinyDescription.replacing(
            "SELECT :body ->> 'title'", with: String(repeating: "SELECT ", count: 140_000))
        #expect(TinyDescription.error(of: row) == nil)
    }

    @Test func manyKeysAreRefusedQuickly() {
        let keys = (0..<5_000).map { "key\($0): x\n" }.joined()
        #expect(Self.error(of: keys).description.hasPrefix("hostile.yaml:1:1: There is no key \"key0\""))
    }

    @Test func aMessageContainsNoControlCharacters() {
        for text in [
            "\"\\e[31mrows\": x\n", "\"a\\u202Eb\": x\n", "\"\(String(repeating: "a", count: 500))\": x\n",
        ] {
            let message = Self.error(of: text).description
            #expect(message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
            #expect(message.count < 400)
        }
    }

    private static func error(of text: String) -> SourceDescriptionError {
        do {
            let description = try SourceDescription(yaml: text, file: "hostile.yaml")
            return SourceDescriptionError("no error: \(description.id)", file: "none")
        } catch {
            return error
        }
    }
}
