import Catalogue
import Testing

@testable import MirrorSync

@Suite("Pictures that a source no longer offers") struct WithdrawnPicturesTests {
    private func object(_ text: String) throws -> JSONObject {
        try #require(try JSONValue(parsing: text).objectValue)
    }

    private func pictures(
        _ now: String, stored: [String], _ rule: SourceOptions.WithdrawnPictures
    ) throws -> (images: String, new: Int) {
        let pictures = WithdrawnPictures(
            in: try object(#"{"id":"w","images":\#(now)}"#), stored: try stored.map(object), rule)
        return (pictures.json["images"]?.canonicalText ?? "none", pictures.newCount)
    }

    @Test func aKeptPictureFollowsTheOthersAndIsMarked() throws {
        let found = try pictures(#"[{"id":"b"}]"#, stored: [#"{"id":"a"}"#, #"{"id":"b"}"#], .keep)
        #expect(found.images == #"[{"id":"b"},{"id":"a","withdrawn":true}]"#)
        #expect(found.new == 1)
    }

    @Test func aPictureThatWasWithdrawnBeforeStaysTheSame() throws {
        let stored = [#"{"id":"b"}"#, #"{"id":"a","withdrawn":true}"#]
        let found = try pictures(#"[{"id":"b"}]"#, stored: stored, .keep)
        #expect(found.images == #"[{"id":"b"},{"id":"a","withdrawn":true}]"#)
        #expect(found.new == 0)
    }

    @Test func aPictureThatTheSourceOffersAgainLosesItsMark() throws {
        let found = try pictures(#"[{"id":"a"}]"#, stored: [#"{"id":"a","withdrawn":true}"#], .keep)
        #expect(found.images == #"[{"id":"a"}]"# && found.new == 0)
    }

    @Test func withRemoveTheObjectIsAsTheSourceSentIt() throws {
        let found = try pictures("[]", stored: [#"{"id":"a"}"#], .remove)
        #expect(found.images == "[]" && found.new == 1)
    }
}
