import Testing

@testable import CatalogueSources

@Suite struct PictureConditionTests {
    @Test(arguments: [
        "SELECT a WHERE b", "select a where b", "SELECT a FROM (SELECT b) WHERE c",
        "SELECT a WHERE b UNION ALL SELECT c WHERE d", "WITH x AS (SELECT a) SELECT b FROM x WHERE c",
        "SELECT a FROM (SELECT b UNION SELECT c) WHERE d ORDER BY e LIMIT 1",
        "SELECT 'it''s' AS \"x\"\"y\" -- (\n WHERE b", "SELECT /* ) */ a WHERE b", "SELECT a\nWHERE b",
    ]) func aQueryWithAConditionInEachSelectIsAccepted(_ sql: String) {
        #expect(PictureCondition(sql).isComplete)
    }

    @Test(arguments: [
        "", "SELECT a", "SELECT a -- WHERE b", "SELECT a /* WHERE b */", "SELECT 'WHERE b'",
        "SELECT \"WHERE\"",
        "SELECT `WHERE`", "SELECT [WHERE]", "SELECT :where", "SELECT @WHERE", "SELECT a_where, wherever",
        "SELECT a FROM (SELECT b WHERE c)", "WITH x AS (SELECT a WHERE b) SELECT c FROM x",
        "SELECT a WHERE b UNION ALL SELECT c", "SELECT a UNION SELECT b WHERE c",
        "SELECT a WHERE b EXCEPT SELECT c INTERSECT SELECT d WHERE e", "SELECT a WHERE b UNION VALUES (1)",
        "SELECT count(*) FILTER (WHERE b)", "VALUES (1)", "SELECT 'a WHERE b", "SELECT '\u{301} WHERE b",
        "SELECT a /* WHERE b", "SELECT é_where", "WHERE SELECT a", "SELECT 'a''WHERE b'",
    ]) func aQueryWithASelectWithoutConditionIsRefused(_ sql: String) {
        #expect(!PictureCondition(sql).isComplete)
    }
}
