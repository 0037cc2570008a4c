import Foundation
import GRDB
import Testing

@testable import MirrorStore

/// Holds the queries that README.md offers against the schema.
@Suite struct DocumentedQueriesTests {
    @Test func queriesOfTheReadmeRunOnAMirror() throws {
        let readme = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "README.md")
        let text = try String(contentsOf: readme, encoding: .utf8)
        let queries = text.matches(of: #/```sql\n((?s).*?)```/#).flatMap {
            $0.output.1.split(separator: ";\n")
        }
        .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
        #expect(queries.count >= 5)
        let test = try TestStore()
        try test.store.read { db in
            for query in queries {
                #expect(throws: Never.self, "\(query)") { _ = try Row.fetchAll(db, sql: query) }
            }
        }
    }
}
