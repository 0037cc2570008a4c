import Catalogue
import Testing

@Suite struct JSONValueTests {
    private func number(_ lexeme: String) throws -> JSONNumber { try #require(JSONNumber(lexeme: lexeme)) }

    @Test(arguments: [
        ["1", "1.0", "1e0", "10e-1", "0.1E+1", "100e-2", "1e00000000000000000000000"],
        ["0", "-0", "0.0", "0e99999999999999999999", "-0.000"], ["-1.5", "-15e-1", "-1.50"],
        [
            "123456789012345678901234567890", "12345678901234567890123456789e1",
            "1234567890123456789012345678.9e2",
        ],
    ])
    func numbersOfEqualValueAreEqualInAnySpelling(spellings: [String]) throws {
        let numbers = try spellings.map(number)
        #expect(Set(numbers).count == 1)
        for (number, spelling) in zip(numbers, spellings) { #expect(number.lexeme == spelling) }
    }

    @Test(arguments: [
        ("1", "-1"), ("1", "10"), ("1", "1.0000000000000000000000000001"),
        ("9007199254740993", "9007199254740992"),
        ("1e400", "1e401"), ("1e99999999999999999999", "1e99999999999999999998"),
    ])
    func numbersOfDifferentValueDiffer(left: String, right: String) throws {
        #expect(try number(left) != number(right))
    }

    @Test(
        arguments: [
            ("12", 12), ("-7", -7), ("1.0", 1), ("1e3", 1000), ("1200e-2", 12),
            ("9223372036854775807", Int.max),
            ("-9223372036854775808", Int.min), ("-0", 0), ("9223372036854775808", nil), ("1.5", nil),
            ("1e19", nil),
            ("1e-1", nil), ("1e99999999999999999999", nil), ("1e4000000000", nil),
            ("1e9223372036854775807", nil), ("12E9223372036854775806", nil),
        ] as [(String, Int?)])
    func largeIntegersAreReadExactly(lexeme: String, value: Int?) throws {
        #expect(try number(lexeme).intValue == value)
    }

    @Test func doublesAreRoundedToTheNearestValue() throws {
        #expect(try number("1.5").doubleValue == 1.5)
        #expect(try number("1e400").doubleValue == .infinity)
        #expect(try number("-12").doubleValue == -12)
        #expect(try number("9007199254740993").doubleValue == 9_007_199_254_740_992)
        #expect(try number("0").doubleValue.sign == .plus)
        #expect(try number("-0").doubleValue.sign == .minus)
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(-0.25)?.lexeme == "-0.25")
    }

    @Test(arguments: ["", " 1", "1 ", "01", "+1", "1.", ".1", "0x1", "1e", "NaN", "\"1\"", "[1]"])
    func invalidLexemesAreNotNumbers(text: String) { #expect(JSONNumber(lexeme: text) == nil) }

    @Test func canonicalFormSortsKeysByBytesAndUsesOnlyNecessaryEscapes() throws {
        let text = #" { "é":1.50, "b" : [ 1E2 , -0 ], "a":"\u0041\/\u001f\n\"\\\u007f😀", "B":{}, "":null } "#
        let value = try JSONValue(parsing: text)
        #expect(
            value.canonicalText
                == #"{"":null,"B":{},"a":"A/\u001f\n\"\\"# + "\u{7F}😀" + #"","b":[1E2,-0],"é":1.50}"#)
        #expect(value.objectValue?.canonicalText == value.canonicalText)
    }

    @Test func canonicallyEquivalentStringsDiffer() {
        let composed: JSONValue = "\u{E9}"
        let decomposed: JSONValue = "e\u{301}"
        #expect(composed != decomposed)
        let object: JSONObject = ["\u{E9}": 1, "e\u{301}": 2]
        #expect(object.count == 2)
        #expect(object["\u{E9}"] == 1)
        #expect(object["e\u{301}"] == 2)
    }

    @Test func membersOfAnObjectCanBeSetReplacedAndRemoved() {
        var object: JSONObject = ["m": 1]
        object["z"] = 3
        object["a"] = 0
        object["m"] = 2
        #expect(object.keys == ["a", "m", "z"])
        #expect(object["m"] == 2)
        object["m"] = nil
        object["none"] = nil
        #expect(object.removeValue(forKey: "z") == 3)
        #expect(object.removeValue(forKey: "z") == nil)
        #expect(object == ["a": 0])
        #expect(object != ["a": 1])
        #expect(object != ["b": 0])
    }

    @Test(
        arguments: [
            (JSONValue.string("x"), "x"), (.string("../../etc/passwd"), "../../etc/passwd"),
            (.string(" x "), " x "),
            (12, "12"), (-3, "-3"), (.string("a\0b"), nil), (.string(""), nil), (.string(" \n\u{3000}"), nil),
            (.null, nil), (true, nil),
            ([], nil),
        ] as [(JSONValue, String?)])
    func textsAndIntegersAreIds(value: JSONValue, id: String?) { #expect(value.idText == id) }

    @Test(arguments: ["1.5", "1.0", "1e3", "-0.0"]) func aNumberWithAFractionOrExponentIsNotAnId(text: String)
        throws
    {
        #expect(try JSONValue(parsing: text).idText == nil)
    }
}
