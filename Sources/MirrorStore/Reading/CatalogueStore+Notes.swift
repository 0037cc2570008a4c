import Catalogue
import GRDB

/// What a person wrote about an object. Notes stay here: no server hears of them.
public struct Note: Sendable, Hashable {
    public let number: Int64
    public let kind: Kind
    public let id: String
    public let text: String
    public let madeAt: String
    /// `nil` if it was never edited.
    public let editedAt: String?
    /// Whether the object that it is about is still here.
    public let isHere: Bool
}

extension CatalogueStore {
    /// Writes a note about an object.
    ///
    /// - Returns: its number; `nil` if the object isn't here.
    public func addNote(_ text: String, to kind: Kind, _ id: String) throws -> Int64? {
        let at = timestamp()
        return try write { db in
            let isHere = try db.isTrue("SELECT \(Self.isHere(kind, "?"))", [id])
            guard isHere == true else { return nil }
            try db.run(
                "INSERT INTO note (kind, id, text, made_at) VALUES (?, ?, ?, ?)",
                [kind.name, id, text, at])
            return db.lastInsertedRowID
        }
    }

    /// - Returns: whether there is such a note.
    public func editNote(_ number: Int64, text: String) throws -> Bool {
        let at = timestamp()
        return try write { db in
            try db.run("UPDATE note SET text = ?, edited_at = ? WHERE number = ?", [text, at, number])
            return db.changesCount > 0
        }
    }

    /// - Returns: whether there was such a note.
    public func removeNote(_ number: Int64) throws -> Bool {
        try write { db in
            try db.run("DELETE FROM note WHERE number = ?", [number])
            return db.changesCount > 0
        }
    }

    /// Notes in the order in which they were written: all of them, those of a kind, or those about one object.
    public func notes(of kind: Kind? = nil, _ id: String? = nil) throws -> [Note] {
        try read { db in
            let cases = kinds.all.map {
                "WHEN '\($0.name)' THEN \(Self.isHere($0, "note.id"))"
            }
            return try db.rows(
                """
                SELECT number, kind, id, text, made_at, edited_at, CASE kind \(cases.joined(separator: " ")) END
                FROM note WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR id = ?2) ORDER BY number
                """, [kind?.name, id]
            ).compactMap { row in
                kinds[row[1]].map {
                    Note(
                        number: row[0], kind: $0, id: row[2], text: row[3], madeAt: row[4], editedAt: row[5],
                        isHere: row[6] ?? false)
                }
            }
        }
    }

    public func noteCount() throws -> Int {
        try read { try $0.number("SELECT count(*) FROM note") ?? 0 }
    }

    /// The condition that an object is stored, and was not deleted here.
    private static func isHere(_ kind: Kind, _ id: String) -> String {
        let isDeleted = kind.isEdited ? "AND deleted = 0" : ""
        return "EXISTS (SELECT 1 FROM \"\(kind.table)\" o WHERE o.id = \(id) AND ghost = 0 \(isDeleted))"
    }
}
