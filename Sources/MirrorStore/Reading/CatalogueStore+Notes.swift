import Catalogue
import GRDB

/// A user's note about an object. Notes are local: they are never sent to a server.
public struct Note: Sendable, Hashable {
    /// The note's number, by which it is edited and removed.
    public let number: Int64
    /// The kind of the object that the note is about.
    public let kind: Kind
    /// The id of the object that the note is about.
    public let id: String
    /// The text of the note.
    public let text: String
    /// When the note was written, in RFC 3339.
    public let madeAt: String
    /// When the note was last edited, in RFC 3339; `nil` if it never was.
    public let editedAt: String?
    /// Whether the object is still stored and not locally deleted.
    public let isHere: Bool
}

extension CatalogueStore {
    /// Adds a note about an object.
    ///
    /// - Returns: the note's number; `nil` if the object isn't stored.
    public func addNote(_ text: String, to kind: Kind, _ id: String) throws -> Int64? {
        let at = timestamp()
        return try write { db in
            let exists = try db.isTrue("SELECT \(Self.exists(kind, "?"))", [id])
            guard exists == true else { return nil }
            try db.run(
                "INSERT INTO note (kind, id, text, made_at) VALUES (?, ?, ?, ?)",
                [kind.name, id, text, at])
            return db.lastInsertedRowID
        }
    }

    /// Replaces the text of a note.
    ///
    /// - Returns: whether there is a note with that number.
    public func editNote(_ number: Int64, text: String) throws -> Bool {
        let at = timestamp()
        return try write { db in
            try db.run("UPDATE note SET text = ?, edited_at = ? WHERE number = ?", [text, at, number])
            return db.changesCount > 0
        }
    }

    /// Removes a note.
    ///
    /// - Returns: whether there was a note with that number.
    public func removeNote(_ number: Int64) throws -> Bool {
        try write { db in
            try db.run("DELETE FROM note WHERE number = ?", [number])
            return db.changesCount > 0
        }
    }

    /// Notes in the order in which they were written.
    ///
    /// - Parameters:
    ///   - kind: only notes about objects of this kind. Default: all.
    ///   - id: only notes about objects with this id. Default: all.
    public func notes(of kind: Kind? = nil, _ id: String? = nil) throws -> [Note] {
        try read { db in
            let cases = kinds.all.map {
                "WHEN '\($0.name)' THEN \(Self.exists($0, "note.id"))"
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

    /// The number of all notes.
    public func noteCount() throws -> Int {
        try read { try $0.number("SELECT count(*) FROM note") ?? 0 }
    }

    /// SQL: whether an object is stored and not locally deleted.
    private static func exists(_ kind: Kind, _ id: String) -> String {
        let isDeleted = kind.isEdited ? "AND deleted = 0" : ""
        return "EXISTS (SELECT 1 FROM \"\(kind.table)\" o WHERE o.id = \(id) AND ghost = 0 \(isDeleted))"
    }
}
