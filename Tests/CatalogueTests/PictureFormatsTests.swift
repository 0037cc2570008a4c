import Testing

@testable import Catalogue

@Suite("The formats in which pictures are wanted") struct PictureFormatsTests {
    private typealias Row = (wanted: PictureFormats, offered: [String]?, first: [String], others: [String])

    private static let all = ["square", "medium", "larger", "normalized"]

    /// `first` are the formats of an object's first picture, `others` those of its other pictures.
    private static let table: [Row] = [
        (.largest, all, ["larger"], ["larger"]),
        (.largest, ["square", "medium"], ["medium"], ["medium"]),
        (.largest, ["normalized", "square"], ["normalized"], ["normalized"]),
        (.largest, ["odd", "square"], ["square"], ["square"]),
        (.largest, ["odd"], ["odd"], ["odd"]),
        (.largest, [], [], []),
        (.largest, nil, ["larger"], ["larger"]),
        (.standard, all, ["larger", "medium"], ["larger"]),
        (.standard, ["medium", "normalized"], ["normalized", "medium"], ["normalized"]),
        (.standard, ["square", "medium"], ["medium"], ["medium"]),
        (.standard, ["square", "larger"], ["larger"], ["larger"]),
        (.standard, ["odd", "medium"], ["medium"], ["medium"]),
        (.standard, [], [], []),
        // Whether it is offered is unknown, so it isn't requested.
        (.standard, nil, ["larger"], ["larger"]),
        (.named(["square", "medium"]), nil, ["square", "medium"], ["square", "medium"]),
        (.named(["medium", "square", "square"]), ["square", "larger"], ["square"], ["square"]),
        (.named(["medium"]), ["square"], [], []),
        (.named(["normalized", "larger"]), all, ["normalized", "larger"], ["normalized", "larger"]),
        (.named([]), all, [], []),
    ]

    @Test func theWantedFormatsDependOnTheOfferedOnesAndOnThePlaceOfThePicture() {
        for row in Self.table {
            #expect(row.wanted.chosen(among: row.offered, isFirst: true) == row.first, "\(row)")
            #expect(row.wanted.chosen(among: row.offered, isFirst: false) == row.others, "\(row)")
        }
    }

    @Test(
        arguments: [
            (.largest, "default"), (.standard, "standard"), (["square", "larger"], "larger,square"),
            (["medium"], "medium"), ([], ""),
        ] as [(PictureFormats, String)])
    func formatsAreRememberedAsText(formats: PictureFormats, text: String) {
        #expect(formats.text == text)
        #expect(PictureFormats(text: text).text == text)
    }

    @Test func aPictureIsTheDefaultOneOnlyIfItIsMarked() throws {
        var warnings: [FieldWarning] = []
        func isDefault(_ mark: String) throws -> Bool {
            try ImageEntry(JSONValue(parsing: #"{"id":"i"\#(mark)}"#), warnings: &warnings).isDefault
        }
        #expect(try isDefault(#","is_default":true"#))
        for mark in ["", #","is_default":false"#, #","is_default":null"#, #","is_default":"yes""#] {
            #expect(try !isDefault(mark), "\(mark)")
        }
    }
}
