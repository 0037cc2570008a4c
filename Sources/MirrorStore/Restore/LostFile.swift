import Catalogue
import Foundation
import GRDB

/// A file that an object's earlier state had: whose it was, so that it can be given back.
struct LostFile: Codable, Sendable, Hashable {
    /// What it was to its owner: an ``ImageRole``, or `document`.
    let role: String
    /// The picture or document.
    let id: String
    var format: String?
    let hash: String
    var entry: String?

    init(role: String, of id: String, format: String? = nil, hash: String, entry: String?) {
        self.role = role
        self.id = id
        self.format = format
        self.hash = hash
        self.entry = entry
    }

    /// As the change log keeps them.
    static func json(_ files: [LostFile]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(files), as: UTF8.self)
    }

    static func list(_ json: String?) throws -> [LostFile] {
        guard let json else { return [] }
        return try JSONDecoder().decode([LostFile].self, from: Data(json.utf8))
    }
}

/// What the log kept of an object that was deleted.
struct DeletedState {
    let body: String
    /// Ids of an owner's artworks; `nil` for what has none.
    let artworks: [String]?
    /// A show's or artwork's pictures as JSON, by role, in order.
    private(set) var images: [(role: ImageRole, json: String)] = []
    /// Files of pictures.
    private(set) var files: [LostFile] = []
    /// The file of a document.
    let file: (hash: String, entry: String?)?
    let documents: [(body: String, file: LostFile?)]

    /// - Returns: `nil` if it says nothing of the object.
    init?(_ before: String?, in db: Database) throws {
        let row = try Row.fetchOne(
            db,
            cached: """
                SELECT json_extract(?1, '$.body'), json_extract(?1, '$.artworks'), json_extract(?1, '$.file'),
                  json_extract(?1, '$.file_entry')
                """, [before])
        guard let row, let body: String = row[0] else { return nil }
        self.body = body
        artworks = try (row[1] as String?).map {
            try String.fetchAll(db, cached: "SELECT value FROM json_each(?)", [$0])
        }
        file = (row[2] as String?).map { ($0, row[3]) }
        documents = try Row.fetchAll(
            db,
            cached: """
                SELECT json_extract(value, '$.body'), coalesce(json_extract(value, '$.id'),
                  json_extract(value, '$.body.id')), json_extract(value, '$.file'),
                  json_extract(value, '$.file_entry')
                FROM json_each(?, '$.documents') WHERE type = 'object'
                """, [before]
        ).map { row in
            let file = (row[2] as String?).map {
                LostFile(role: "document", of: row[1], hash: $0, entry: row[3])
            }
            return (row[0], file)
        }
        let entries = try Row.fetchAll(
            db,
            cached: """
                SELECT json_extract(value, '$.role'), json_extract(value, '$.image'), json_extract(value, '$.json'),
                  json_extract(value, '$.format'), json_extract(value, '$.hash'), json_extract(value, '$.entry')
                FROM json_each(?, '$.images') WHERE type = 'object'
                """, [before])
        var seen = Set<ExactText>()
        for entry in entries {
            let word: String = entry[0], id: String = entry[1]
            if let role = ImageRole(rawValue: word), seen.insert(ExactText("\(word)/\(id)")).inserted {
                images.append((role, entry[2]))
            }
            if let hash: String = entry[4] {
                files.append(LostFile(role: word, of: id, format: entry[3], hash: hash, entry: entry[5]))
            }
        }
    }
}
