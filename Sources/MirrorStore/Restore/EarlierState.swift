import Catalogue
import Foundation
import GRDB

/// Writes an earlier state of a stored object: its fields, the lists under it, its files.
///
/// Both restoring and undoing it use this type. Its changes are logged like any other.
struct EarlierState {
    let log: ChangeLog
    let files: FileStore
    private var db: Database { log.db }

    // MARK: - Reading logged states

    func object(_ kind: Kind, _ json: String) throws -> ObjectRecord {
        ObjectRecord(kind, try kind.type.init(text: json), etag: nil)
    }

    func document(_ json: String, of owner: Owner) throws -> DocumentRecord {
        let partner = try ServedReader(db: db, kinds: log.kinds).single(.partner)?.id ?? ""
        return DocumentRecord(try Document(text: json), owner: owner, partner: partner, etag: nil)
    }

    func image(_ json: String, ofShow show: String) throws -> ImageRecord {
        ImageRecord(try ImageEntry(text: json), show: show)
    }

    // MARK: - Writing earlier states

    /// Restores an object, or one list under it, to the state before a change.
    ///
    /// - Returns: whether the stored state was different, and the files that no longer exist.
    func revert(_ object: ChangedObject, list: String?, to before: String, files lost: [LostFile]) throws -> (
        isDifferent: Bool, missingFiles: [LostFile]
    ) {
        let owner = object.owner ?? Owner(object.kind, object.id)
        let isDifferent =
            if let list = list.flatMap({ ObjectList(rawValue: $0) }) {
                try list.imageRole.map { try revertPictures(of: owner.id, $0, to: before) }
                    ?? revertMembers(of: owner, list, to: before)
            } else {
                try list == nil && revertBody(of: object, to: before)
            }
        return (isDifferent, isDifferent ? try reattach(lost, to: owner) : [])
    }

    private func revertBody(of object: ChangedObject, to body: String) throws -> Bool {
        if object.kind == .document {
            guard let owner = object.owner else { return false }
            let now = try db.text("SELECT json FROM document WHERE \(object.isRow)", object.key)
            let record = try document(body, of: owner)
            return try !ExactText.same(now, record.json) && DocumentWriter(log: log).write(record) == .updated
        }
        var record = try self.object(object.kind, body)
        // A local edit is never overwritten.
        guard let now = try StoredRow.find(object.kind, object.id, in: db), !now.hasLocalEdit,
            !ExactText.same(now.json, record.json)
        else { return false }
        record.isLinked = now.linked
        return try ObjectWriter(log: log).write(record) == .updated
    }

    private func revertMembers(of owner: Owner, _ list: ObjectList, to before: String) throws -> Bool {
        let name = ListName(url: "", owner: owner, name: list.rawValue)
        guard let membership = Membership(name) else { return false }
        let ids = try db.texts("SELECT value FROM json_each(?)", [before])
        let now = try membership.ids(in: db)
        guard now.map(ExactText.init) != ids.map(ExactText.init) else { return false }
        try membership.replace(with: ids, in: db)
        try log.note(
            .update, owner.kind, owner.id, list: list.rawValue, before: JSONValue.canonicalText(of: now))
        return true
    }

    private func revertPictures(of show: String, _ role: ImageRole, to before: String) throws -> Bool {
        guard let list = role.list else { return false }
        let owner = Owner(.show, show), now = try PastStates(db: db).current(owner, list)
        guard !ExactText.same(now, before) else { return false }
        let images = try db.texts("SELECT json(value) FROM json_each(?)", [before])
        try log.note(.update, .show, show, list: list.rawValue, before: now)
        try ImageWriter(log: log).replace(
            of: owner, role: role, with: images.map { try image($0, ofShow: show) }, isLogged: true)
        return true
    }

    /// Removes the ETags and dates because of which the next sync would not request the object and its lists.
    func forgetValidators(_ object: ChangedObject) throws {
        if let owner = object.owner {
            try db.run(
                "UPDATE list SET etag = NULL WHERE owner_kind = ? AND owner_id = ? AND name = 'documents'",
                [owner.kind.name, owner.id])
        } else {
            try db.run(
                "DELETE FROM list WHERE owner_kind = ? AND owner_id = ?",
                [object.kind.name, object.id])
        }
        let kind = object.owner?.kind ?? object.kind
        try db.run(
            """
            UPDATE list SET clean_etag = NULL, clean_formats = NULL WHERE owner_kind = 'partner' AND name = ?
            """, [kind.plural])
        // The object didn't change on the server, so changes since a date don't include it.
        try SinceWriter(db: db).forget([kind])
    }

    /// Sets the marks `kept` and `refetch` of the object's row, and removes its ETag.
    func mark(_ object: ChangedObject, kept: Bool, refetch: Bool = false) throws {
        try db.run(
            "UPDATE \"\(object.kind.table)\" SET kept = ?, refetch = ?, etag = NULL WHERE \(object.isRow)",
            [kept, refetch] + object.key)
    }

    // MARK: - Files

    /// Assigns files to the pictures and documents that had them, if the files are still on the disk.
    ///
    /// - Returns: the files that no longer exist.
    func reattach(_ lost: [LostFile], to owner: Owner) throws -> [LostFile] {
        try lost.filter { try !reattach($0, to: owner) }
    }

    private func reattach(_ lost: LostFile, to owner: Owner) throws -> Bool {
        guard let file = try StoredFile.find(lost.hash, in: db), files.has(file) else { return false }
        let writer = FileWriter(db: db, at: log.clock)
        if let role = ImageRole(rawValue: lost.role) {
            _ = try writer.write(
                FileRecord(
                    .image(lost.id, format: lost.format ?? "", role: role, of: owner),
                    entry: lost.entry ?? "", file: file, etag: nil, lastModified: nil))
        } else {
            try writer.ensure(file)
            try db.run(
                """
                UPDATE document SET file = ?, file_entry = ?, file_unavailable_at = NULL
                WHERE \(owner.kind.idColumn) = ? AND id = ?
                """, [file.hash, lost.entry, owner.id, lost.id])
        }
        return true
    }
}

/// A file of an object's earlier state, with the data that is needed to assign it again.
struct LostFile: Codable, Sendable, Hashable {
    /// An ``ImageRole``, or `document`.
    let role: String
    /// The id of the picture or document.
    let id: String
    /// A picture's format; `nil` for a document.
    var format: String?
    /// The SHA-256 of the contents, by which the file is stored.
    let hash: String
    /// The digest of the entry that the file was fetched for.
    var entry: String?

    /// The files in the change log's form.
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

/// The logged state of an object that was deleted.
struct DeletedState {
    /// The object's JSON.
    let body: String
    /// The ids of the object's artworks; `nil` for kinds without a list of artworks.
    let artworks: [String]?
    /// A show's or artwork's pictures as JSON, by role, in order.
    private(set) var images: [(role: ImageRole, json: String)] = []
    /// The files of pictures.
    private(set) var files: [LostFile] = []
    /// A document's file.
    let file: (hash: String, entry: String?)?
    /// The object's documents.
    let documents: [(body: String, file: LostFile?)]

    /// Reads the logged JSON.
    ///
    /// - Returns: `nil` if it doesn't have the object's JSON.
    init?(_ before: String?, in db: Database) throws {
        let row = try db.row(
            """
            SELECT json_extract(?1, '$.body'), json_extract(?1, '$.artworks'), json_extract(?1, '$.file'),
              json_extract(?1, '$.file_entry')
            """, [before])
        guard let row, let body: String = row[0] else { return nil }
        self.body = body
        artworks = try (row[1] as String?).map {
            try db.texts("SELECT value FROM json_each(?)", [$0])
        }
        file = (row[2] as String?).map { ($0, row[3]) }
        documents = try db.rows(
            """
            SELECT json_extract(value, '$.body'), coalesce(json_extract(value, '$.id'),
              json_extract(value, '$.body.id')), json_extract(value, '$.file'),
              json_extract(value, '$.file_entry')
            FROM json_each(?, '$.documents') WHERE type = 'object'
            """, [before]
        ).map { row in
            let file = (row[2] as String?).map {
                LostFile(role: "document", id: row[1], hash: $0, entry: row[3])
            }
            return (row[0], file)
        }
        let entries = try db.rows(
            """
            SELECT json_extract(value, '$.role'), json_extract(value, '$.image'), json_extract(value, '$.json'),
              json_extract(value, '$.format'), json_extract(value, '$.hash'), json_extract(value, '$.entry')
            FROM json_each(?, '$.images') WHERE type = 'object'
            """, [before])
        var seen = Set<ExactText>()
        for entry in entries {
            let name: String = entry[0], id: String = entry[1]
            if let role = ImageRole(rawValue: name), seen.insert(ExactText("\(name)/\(id)")).inserted {
                images.append((role, entry[2]))
            }
            if let hash: String = entry[4] {
                files.append(LostFile(role: name, id: id, format: entry[3], hash: hash, entry: entry[5]))
            }
        }
    }
}
