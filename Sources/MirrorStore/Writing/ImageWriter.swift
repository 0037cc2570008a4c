import Catalogue
import GRDB

/// Writes the pictures of an artwork or show.
struct ImageWriter {
    let log: ChangeLog

    /// Replaces the pictures of a show in one role.
    ///
    /// In a run, stored pictures that the list doesn't contain stay, after those in the list, until the end of the run removes
    /// them (``Deleter``).
    func write(show: String, role: ImageRole, images: [ImageRecord], list: ListAnswer) throws -> WriteEffect {
        let isStored = try log.db.isTrue("SELECT 1 FROM show WHERE id = ? AND ghost = 0", [show])
        guard isStored else { return .ignored }
        let lists = ListWriter(log: log)
        let earlier = try lists.state(list.list.url)
        if lists.isOlder(list, than: earlier) { return .outdated }
        let owner = Owner(.show, show), stored = try stored(of: owner, role: role)
        let names = Set(images.map { ExactText($0.id) })
        // An incomplete list removes no pictures, also outside a run.
        let lacking =
            log.run == nil && list.isComplete ? [] : stored.filter { !names.contains(ExactText($0.id)) }
        try lists.record(
            pictures: images.map(\.id), list, isMissingSome: list.isComplete && !lacking.isEmpty,
            earlier: earlier
        )
        let before = stored.map(\.json), after = images.map(\.json) + lacking.map(\.json)
        guard before.map(ExactText.init) != after.map(ExactText.init) else { return .unchanged }
        let isUpdate = try log.note(list: list.list.name, of: owner, before: Self.list(before))
        try replace(of: owner, role: role, with: images, keeping: lacking.map(\.id), isLogged: isUpdate)
        return isUpdate ? .updated : .created
    }

    /// Removes some pictures of a show that its list no longer contains.
    ///
    /// - Returns: whether the show existed before this run, and had one of these pictures.
    func remove(_ ids: [String], of show: Owner, role: ImageRole, list: ListName) throws -> Bool {
        let stored = try stored(of: show, role: role), gone = Set(ids.map(ExactText.init))
        guard stored.contains(where: { gone.contains(ExactText($0.id)) }) else { return false }
        let isUpdate = try log.note(
            list: list.name, of: show, before: Self.list(stored.map(\.json)), evidence: .other(list.url))
        if isUpdate {
            let staying = stored.filter { !gone.contains(ExactText($0.id)) }
            try noteLostFiles(of: show, role: role, staying: staying.map { ($0.id, $0.entry) })
        }
        for id in ids {
            try log.db.run(
                "DELETE FROM image WHERE show_id = ? AND role = ? AND id = ?", [show.id, role.rawValue, id])
        }
        return isUpdate
    }

    /// A show's pictures in one role, in order.
    private func stored(
        of show: Owner, role: ImageRole
    ) throws -> [(id: String, entry: String, json: String)] {
        try log.db.rows(
            "SELECT id, entry, json FROM image WHERE show_id = ? AND role = ? ORDER BY position",
            [show.id, role.rawValue]
        ).map { ($0[0], $0[1], $0[2]) }
    }

    private static func list(_ entries: [String]) -> String { "[\(entries.joined(separator: ","))]" }

    /// Replaces the pictures of an owner in one role.
    ///
    /// Pictures that stay keep their rows, and so their files. A changed picture loses the tiles that it no longer has, or all
    /// of them if tiles are no longer wanted, because tiles are of the earlier picture.
    ///
    /// - Parameters:
    ///   - staying: ids of other pictures that stay, after `images`. Default: none.
    ///   - isLogged: whether the change was logged just now. Then the files of removed and changed pictures are added to the
    ///     log's entry. Default: `false`.
    func replace(
        of owner: Owner, role: ImageRole, with images: [ImageRecord], keeping staying: [String] = [],
        isLogged: Bool = false
    ) throws {
        let db = log.db, column = owner.kind.idColumn
        if isLogged {
            try noteLostFiles(of: owner, role: role, staying: images.map { ($0.id, $0.entry) }, or: staying)
        }
        let names = Set((images.map(\.id) + staying).map(ExactText.init))
        let stored = try db.rows(
            "SELECT pk, id, entry FROM image WHERE \(column) = ? AND role = ?", [owner.id, role.rawValue])
        var earlier: [ExactText: (pk: Int64, entry: String)] = [:]
        for row in stored {
            let id = ExactText(row[1]), pk: Int64 = row[0]
            if names.contains(id) {
                earlier[id] = (pk, row[2])
            } else {
                try db.run("DELETE FROM image WHERE pk = ?", [pk])
            }
        }
        var insert = try FastStatement(db, log.statements(owner.kind).upsertImage)
        var seen = Set<ExactText>()
        for (position, image) in images.enumerated()
        where seen.insert(ExactText(image.id)).inserted {
            try insert.run(
                image.id, owner.id, role.rawValue, position, image.values, image.entry, image.json,
                image.served)
            if let (pk, entry) = earlier[ExactText(image.id)], entry != image.entry {
                try removeTiles(of: pk, except: wantsTiles() ? image.tiles : nil)
            }
        }
        for (position, id) in zip(images.count..., staying) {
            try db.run(
                "UPDATE image SET position = ? WHERE \(column) = ? AND role = ? AND id = ?",
                [position, owner.id, role.rawValue, id])
        }
    }

    /// Logs the files of pictures that are removed or changed.
    ///
    /// - Parameters:
    ///   - images: ids and entries of the owner's new pictures.
    ///   - others: ids of pictures that stay unchanged.
    private func noteLostFiles(
        of owner: Owner, role: ImageRole, staying images: [(id: String, entry: String)],
        or others: [String] = []
    ) throws {
        let entries = Dictionary(
            images.map { (ExactText($0.id), $0.entry) }, uniquingKeysWith: { first, _ in first })
        let untouched = Set(others.map(ExactText.init))
        let lost = try log.db.rows(
            """
            SELECT i.id, f.format, f.hash, f.entry, i.entry FROM image i
            JOIN image_file f ON f.image = i.pk AND f.hash IS NOT NULL
            WHERE i.\(owner.kind.idColumn) = ? AND i.role = ? ORDER BY i.position, f.format
            """, [owner.id, role.rawValue]
        ).compactMap { row -> LostFile? in
            let id = ExactText(row[0])
            guard entries[id] != row[4] as String, !untouched.contains(id) else { return nil }
            return LostFile(role: role.rawValue, id: row[0], format: row[1], hash: row[2], entry: row[3])
        }
        if !lost.isEmpty { try log.noteFiles(LostFile.json(lost)) }
    }
}
