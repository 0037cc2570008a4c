import Catalogue
import Foundation
import GRDB

/// Puts an object that is here back into an earlier state: its fields, the lists under it, its files.
///
/// Restoring and its undoing both end here. What is written is logged like any other change.
struct EarlierState {
    let log: ChangeLog
    let files: FileStore
    private var db: Database { log.db }

    // MARK: - Reading what the log kept

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

    // MARK: - Putting back

    /// Makes the object, or one list under it, what a change says that it was before.
    ///
    /// - Returns: whether that was different, and the files that are gone.
    func putBack(_ object: ChangedObject, list: String?, before: String, files lost: [LostFile]) throws -> (
        isDifferent: Bool, gone: [LostFile]
    ) {
        let owner = object.owner ?? Owner(object.kind, object.id)
        let isDifferent =
            if let list = list.flatMap({ ObjectList(rawValue: $0) }) {
                try list.imageRole.map { try putBack(owner.id, $0, before) }
                    ?? putBack(members: before, of: owner, list)
            } else {
                try list == nil && putBack(body: before, of: object)
            }
        return (isDifferent, isDifferent ? try giveBack(lost, to: owner) : [])
    }

    private func putBack(body: String, of object: ChangedObject) throws -> Bool {
        if object.kind == .document {
            guard let owner = object.owner else { return false }
            let now = try db.text("SELECT json FROM document WHERE \(object.isRow)", object.key)
            let record = try document(body, of: owner)
            return try !ExactText.same(now, record.json) && DocumentWriter(log: log).write(record) == .updated
        }
        var record = try self.object(object.kind, body)
        // A local edit comes first.
        guard let now = try StoredRow.find(object.kind, object.id, in: db), !now.hasLocalEdit,
            !ExactText.same(now.json, record.json)
        else { return false }
        record.isLinked = now.linked
        return try ObjectWriter(log: log).write(record) == .updated
    }

    private func putBack(members before: String, of owner: Owner, _ list: ObjectList) throws -> Bool {
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

    private func putBack(_ show: String, _ role: ImageRole, _ before: String) throws -> Bool {
        guard let list = role.list else { return false }
        let owner = Owner(.show, show), now = try PastStates(db: db).current(owner, list)
        guard !ExactText.same(now, before) else { return false }
        let images = try db.texts("SELECT json(value) FROM json_each(?)", [before])
        try log.note(.update, .show, show, list: list.rawValue, before: now)
        try ImageWriter(log: log).replace(
            of: owner, role: role, with: images.map { try image($0, ofShow: show) }, isNoted: true)
        return true
    }

    /// What the server says of the object is requested again: no ETag vouches for it, or lets a list be passed over.
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
        // No change on the server tells of it.
        try SinceWriter(db: db).forget([kind])
    }

    /// Marks the object's row.
    func mark(_ object: ChangedObject, kept: Bool, refetch: Bool = false) throws {
        try db.run(
            "UPDATE \"\(object.kind.table)\" SET kept = ?, refetch = ?, etag = NULL WHERE \(object.isRow)",
            [kept, refetch] + object.key)
    }

    // MARK: - Files

    /// Gives files back to the pictures and documents that had them, where they are still on the disk.
    ///
    /// - Returns: those that are gone.
    func giveBack(_ lost: [LostFile], to owner: Owner) throws -> [LostFile] {
        try lost.filter { try !giveBack($0, to: owner) }
    }

    private func giveBack(_ lost: LostFile, to owner: Owner) throws -> Bool {
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

/// A file that an object's earlier state had: whose it was, so that it can be given back.
struct LostFile: Codable, Sendable, Hashable {
    /// What it was to its owner: an ``ImageRole``, or `document`.
    let role: String
    /// The picture or document.
    let id: String
    var format: String?
    let hash: String
    var entry: String?

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
            let word: String = entry[0], id: String = entry[1]
            if let role = ImageRole(rawValue: word), seen.insert(ExactText("\(word)/\(id)")).inserted {
                images.append((role, entry[2]))
            }
            if let hash: String = entry[4] {
                files.append(LostFile(role: word, id: id, format: entry[3], hash: hash, entry: entry[5]))
            }
        }
    }
}
