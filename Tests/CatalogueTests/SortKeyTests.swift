import Testing

@testable import Catalogue

@Suite struct SortKeyTests {
    @Test(arguments: [
        ("The Great Wave", "the great wave"), ("Éventail", "eventail"), ("E\u{301}ventail", "eventail"),
        ("Ölberg", "olberg"),
        ("Øresund", "oresund"), ("ÆSOP", "aesop"), ("Straße", "strasse"), ("Łódź", "lodz"),
        ("İstanbul", "istanbul"),
        ("Ｗａｖｅ１", "wave1"), ("ﬁre", "fire"), ("\"Quoted\"", "quoted"), ("“Quoted”", "quoted"),
        ("«Cité»", "cite"),
        ("[Untitled]", "untitled"), ("…and then", "and then"), ("¿Qué?", "que"),
        ("  two   words\t", "two words"),
        ("two\u{A0}words", "two words"), ("O'Keeffe, Georgia", "okeeffe georgia"),
        ("O’Keeffe, Georgia", "okeeffe georgia"),
        ("Sous-bois", "sous bois"), ("Sous‑bois", "sous bois"), ("7 Days", "7 days"), ("№ 5", "no 5"),
        ("★", "★"), ("波", "波"),
        ("Ёлка", "елка"), ("Ὀδύσσεια", "οδυσσεια"), ("が", "か\u{3099}"), ("a\u{200B}b", "ab"),
        ("\u{FEFF}Title", "title"),
    ])
    func `case, diacritics, width and punctuation are folded`(text: String, key: String) throws {
        #expect(try Array(#require(SortKey.folded(text)).utf8) == Array(key.utf8))
    }

    @Test(arguments: ["", " ", "?", "…", "“”", "---", "\u{301}", "\u{200B}", "'"])
    func `a text without a letter, digit or symbol has no key`(text: String) { #expect(SortKey(text) == nil) }

    @Test(arguments: [
        ["7 Days", "Abend", "“Äpfel”", "Apfelbaum", "Zeit", "Zelt", "Ωmega", "波"],
        ["Lee, Ann", "Lee Brothers", "Lee, Zoe", "Leech"],
        ["Bruegel, Pieter", "Brueghel, Jan", "Bry, Theodor de"],
    ])
    func `keys are in the order of a list`(names: [String]) throws {
        let keys = try names.map { try Array(#require(SortKey.folded($0)).utf8) }
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(left.lexicographicallyPrecedes(right)) }
    }

    @Test(arguments: [
        ["Room 0", "Room 1", "Room 2", "Room 2 a", "Room 2b", "Room 09", "Room 10", "Room 100", "Room a"],
        ["7", "Hall", "Hall 2, case 3", "Hall 2, case 12", "Hall 12, case 1"],
        ["1" + String(repeating: "0", count: 45), "2" + String(repeating: "0", count: 45), "a"],
        ["Saal ２", "Saal 10"],
    ])
    func `natural keys order numbers by their value`(names: [String]) throws {
        let keys = try names.map { try Array(#require(SortKey.natural($0)).utf8) }
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(left.lexicographicallyPrecedes(right)) }
        #expect(SortKey.natural("?") == nil)
        #expect(SortKey.natural("Room 007") == SortKey.natural("room 7"))
    }

    @Test(
        arguments: [
            ("wave", "W"), ("Éventail", "E"), ("Ægir", "A"), ("‘Zebra’", "Z"), ("7 Days", nil), ("Ёлка", nil),
            ("波", nil), ("★ a", nil),
        ] as [(String, String?)])
    func `the letter is one of A to Z or none`(text: String, letter: String?) throws {
        let key = try #require(SortKey(text))
        #expect(key.initial == letter)
        #expect(SortKey.initial(ofKey: key.text) == letter)
    }

    @Test func `an empty key has no letter`() { #expect(SortKey.initial(ofKey: "") == nil) }

    @Test(arguments: [
        String(repeating: "a", count: 100_000), String(repeating: "ab ", count: 100_000),
        String(repeating: "é", count: 100_000),
        "a" + String(repeating: "\u{301}", count: 100_000), String(repeating: "波", count: 100_000),
        "é" + String(repeating: "a", count: 98) + " b", String(repeating: "a", count: 99) + " b",
        String(repeating: "\u{FDFA}", count: 90),
        String(repeating: " ", count: 100_000) + "a",
    ])
    func `a key is never longer than its limit and never ends in a space`(text: String) throws {
        let key = try #require(SortKey(text)).text
        #expect((1...SortKey.maximumLength).contains(key.utf8.count))
        #expect(key.utf8.last != UInt8(ascii: " "))
    }

    @Test func `a text in ASCII has the same key beside other characters`() throws {
        var random = SeededGenerator(47)
        for _ in 0..<2000 {
            let length = Int.random(in: 1...60, using: &random)
            let ascii = String(
                (0..<length).map { _ in
                    Character(Unicode.Scalar(UInt8.random(in: 0x20...0x7E, using: &random)))
                })
            // A zero-width space is ignored, and takes the text off the fast path.
            #expect(SortKey.folded(ascii) == SortKey.folded("\u{200B}" + ascii), "\(ascii)")
        }
    }
}
