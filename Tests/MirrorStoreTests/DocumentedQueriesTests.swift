import Foundation
import GRDB
import Testing

@testable import MirrorStore

/// Runs the SQL queries in the documents.
@Suite("Documented SQL queries") struct DocumentedQueriesTests {
    @Test(arguments: [
        ("README.md", 2), ("Sources/MirrorStore/MirrorStore.docc/DatabaseSchema.md", 7),
    ])
    func everyDocumentedQueryRunsOnAMirror(document: String, minimum: Int) throws {
        let text = try String(contentsOf: Self.package.appending(path: document), encoding: .utf8)
        let queries = text.matches(of: #/```sql\n((?s).*?)```/#).flatMap {
            $0.output.1.split(separator: ";\n")
        }
        .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
        #expect(queries.count >= minimum)
        let test = try TestStore()
        try test.store.read { db in
            for query in queries {
                #expect(throws: Never.self, "\(query)") { _ = try Row.fetchAll(db, sql: query) }
            }
        }
    }

    @Test func everyTableAndColumnInTheSchemaArticleExists() throws {
        let text = try String(
            contentsOf: Self.package.appending(
                path: "Sources/MirrorStore/MirrorStore.docc/DatabaseSchema.md"), encoding: .utf8)
        let cells = text.matches(of: #/(?m)^\| (`[^|]*`) \|/#).flatMap { match in
            match.output.1.matches(of: #/`([a-z_]+)`/#).map { String($0.output.1) }
        }
        #expect(cells.count > 20)
        let test = try TestStore()
        try test.store.read { db in
            let tables = try String.fetchSet(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
            let columns = try String.fetchSet(db, sql: "SELECT name FROM pragma_table_info('artwork')")
            for name in cells { #expect(tables.contains(name) || columns.contains(name), "\(name)") }
        }
    }

    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}
