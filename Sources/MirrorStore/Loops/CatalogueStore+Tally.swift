import Catalogue
import GRDB

extension CatalogueStore {
    /// What syncs and `mirror watch` counted of this mirror since it was made, by name: `requests`, `not_modified`, `failures`,
    /// `bytes`, `pages`, `objects`. A name comes in with its first count.
    public func tally() throws -> [String: Int] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT name, value FROM tally").reduce(into: [:]) { counts, row in
                counts[row[0]] = row[1]
            }
        }
    }

    /// Adds counts to what is stored: one statement, whatever their number.
    package func add(tally counts: [String: Int]) throws {
        let counts = counts.filter { $0.value != 0 }.sorted { $0.key < $1.key }
        guard !counts.isEmpty else { return }
        let names = JSONValue.canonicalText(of: counts.map(\.key))
        let values = JSONValue.canonicalText(of: counts.map { String($0.value) })
        try write(isServed: false) { db in
            try db.cachedStatement(
                sql: """
                    INSERT INTO tally (name, value)
                    SELECT n.value, CAST(v.value AS INTEGER) FROM json_each(?) n JOIN json_each(?) v ON v.key = n.key
                    WHERE true ON CONFLICT (name) DO UPDATE SET value = value + excluded.value
                    """
            ).execute(arguments: [names, values])
        }
    }
}
