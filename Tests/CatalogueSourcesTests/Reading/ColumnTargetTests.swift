import Catalogue
import Testing

@testable import CatalogueSources

@Suite struct ColumnTargetTests {
    @Test(arguments: [
        (SQLValue.integer(1800), Column.FieldType.text, #""1800""#), (.text("oil"), .text, #""oil""#),
        (.real(10.5), .loose, #""10.5""#), (.integer(5), .real, "5"), (.text("10.20"), .real, "10.20"),
        // What is no number stays as it is, so that the mirror reports the field.
        (.text("about 10"), .real, #""about 10""#), (.text("900"), .integer, "900"),
        (.real(3), .integer, "3"),
        (.integer(1), .flag, "true"), (.integer(0), .flag, "false"), (.text("true"), .flag, "true"),
        (.text("no"), .flag, #""no""#), (.text(#"["a","b"]"#), .texts, #"["a","b"]"#),
        (.text("a"), .texts, #"["a"]"#),
    ]) func aColumnHasTheTypeOfItsField(_ value: SQLValue, _ type: Column.FieldType, _ expected: String) {
        #expect(value.json(as: type)?.canonicalText == expected)
    }

    @Test(arguments: [SQLValue.null, .text(""), .text("  ")]) func anEmptyColumnIsAbsent(_ value: SQLValue) {
        for type in [Column.FieldType.text, .loose, .any, .integer, .real, .flag, .texts] {
            #expect(value.json(as: type) == nil)
        }
        #expect(value.json == nil)
        #expect(value.idText == nil)
    }

    @Test func fieldsOfInnerObjectsAreGroupedAndUnknownColumnsAreKept() {
        let names = ["title", "dimensions_in", "dimensions.cm", "credit_line", "location_id", "weight"]
        let plan = ColumnPlan(names, of: Artwork.columns, special: ["location_id"])
        let row = SQLRow(
            columns: names,
            values: [.text("A"), .text("4 in"), .text("10 cm"), .text("Gift"), .integer(3), .real(2.5)])
        #expect(
            JSONObject(plan.members(of: row)).canonicalText
                == #"{"credit_line":"Gift","dimensions":{"cm":"10 cm","in":"4 in"},"title":"A","weight":2.5}"#
        )
        #expect(plan.others == ["credit_line", "weight"])
    }
}
