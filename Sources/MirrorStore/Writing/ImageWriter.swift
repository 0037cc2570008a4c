import GRDB

/// Writes the pictures of an artwork or show.
struct ImageWriter {
    let log: ChangeLog

    /// Makes the pictures of a show in one role exactly `images`; of a list that is not complete, these and behind them what
    /// is stored besides.
    func write(show: String, role: ImageRole, images: [ImageRecord], list: ListAnswer) throws -> WriteEffect {
        let db = log.db
        let exists = try db.cachedStatement(sql: "SELECT 1 FROM show WHERE id = ? AND ghost = 0")
        guard try Int.fetchOne(exists, arguments: [show]) != nil else { return .ignored }
        let lists = ListWriter(log: log)
        if lists.isOlder(list, than: try lists.state(list.list.url)) { return .outdated }
        let before = try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT json FROM image WHERE show_id = ? AND role = ? ORDER BY position"),
            arguments: [show, role.rawValue])
        let others = list.isComplete ? [] : try unnamed(of: show, role, images)
        let members = Set(images.map { ExactText($0.id) }).count + others.count
        try lists.record(list, members: members, pending: false)
        let after = images.map(\.json) + others.map(\.json)
        guard before.map(ExactText.init) != after.map(ExactText.init) else { return .unchanged }
        let owner = Owner(.show, show)
        let isNews = try log.note(
            list: list.list.name, of: owner, before: "[\(before.joined(separator: ","))]")
        try replace(of: owner, role: role, with: images, besides: others, isNoted: isNews)
        return isNews ? .updated : .created
    }

    /// A picture that is stored and that a list which is not complete doesn't name.
    struct Unnamed {
        let row: Int64, id: String, json: String
    }

    private func unnamed(of show: String, _ role: ImageRole, _ images: [ImageRecord]) throws -> [Unnamed] {
        let named = Set(images.map { ExactText($0.id) })
        let stored = try log.db.cachedStatement(
            sql: "SELECT pk, id, json FROM image WHERE show_id = ? AND role = ? ORDER BY position")
        return try Row.fetchAll(stored, arguments: [show, role.rawValue])
            .map { Unnamed(row: $0[0], id: $0[1], json: $0[2]) }.filter { !named.contains(ExactText($0.id)) }
    }

    /// Pictures keep their row, and so their files, as long as their owner names them.
    ///
    /// - Parameters:
    ///   - besides: pictures that stay although they are not named, behind the others.
    ///   - areNew: the owner has no pictures yet.
    ///   - isNoted: the change was noted just now: files of pictures that go, or become others, are added to it.
    func replace(
        of owner: Owner, role: ImageRole, with images: [ImageRecord], besides: [Unnamed] = [],
        areNew: Bool = false, isNoted: Bool = false
    ) throws {
        let db = log.db
        let column = owner.kind == .artwork ? "artwork_id" : "show_id"
        if !areNew {
            if isNoted { try noteLostFiles(of: owner, role: role, with: images, besides: besides) }
            let stale = try db.cachedStatement(
                sql: "SELECT pk, id FROM image WHERE \(column) = ? AND role = ?")
            let names = Set((images.map(\.id) + besides.map(\.id)).map(ExactText.init))
            for row in try Row.fetchAll(stale, arguments: [owner.id, role.rawValue])
            where !names.contains(ExactText(row[1])) {
                try db.cachedStatement(sql: "DELETE FROM image WHERE pk = ?")
                    .execute(arguments: [row[0] as Int64])
            }
        }
        var insert = try FastStatement(db, Self.upsert[column] ?? "")
        var seen = Set<ExactText>()
        for (position, image) in images.enumerated()
        where images.count == 1 || seen.insert(ExactText(image.id)).inserted {
            insert.bind(image.id)
            insert.bind(owner.id)
            insert.bind(role.rawValue)
            insert.bind(Int64(position))
            insert.bind(image.values)
            insert.bind(image.entry)
            insert.bind(image.json)
            insert.bind(image.served)
            try insert.run()
        }
        let move = try db.cachedStatement(sql: "UPDATE image SET position = ? WHERE pk = ?")
        for (place, other) in besides.enumerated() {
            try move.execute(arguments: [images.count + place, other.row])
        }
    }

    private func noteLostFiles(
        of owner: Owner, role: ImageRole, with images: [ImageRecord], besides: [Unnamed]
    ) throws {
        let kept = Set(besides.map { ExactText($0.id) })
        let column = owner.kind == .artwork ? "artwork_id" : "show_id"
        let entries = Dictionary(
            images.map { (ExactText($0.id), $0.entry) }, uniquingKeysWith: { first, _ in first })
        let lost = try Row.fetchAll(
            log.db.cachedStatement(
                sql: """
                    SELECT i.id, f.format, f.hash, f.entry, i.entry FROM image i
                    JOIN image_file f ON f.image = i.pk AND f.hash IS NOT NULL
                    WHERE i.\(column) = ? AND i.role = ? ORDER BY i.position, f.format
                    """), arguments: [owner.id, role.rawValue]
        ).compactMap { row -> LostFile? in
            guard entries[ExactText(row[0])] != row[4] as String, !kept.contains(ExactText(row[0])) else {
                return nil
            }
            return LostFile(role: role.rawValue, of: row[0], format: row[1], hash: row[2], entry: row[3])
        }
        if !lost.isEmpty { try log.noteFiles(LostFile.json(lost)) }
    }

    private static let upsert = Dictionary(
        uniqueKeysWithValues: ["artwork_id", "show_id"].map { column in
            let changing = ["position"] + ImageRecord.columns.map(\.name) + ["entry", "json", "served"]
            let names = ["id", column, "role"] + changing
            return (
                column,
                """
                INSERT INTO image (\(names.joined(separator: ", ")))
                VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
                ON CONFLICT (\(column), role, id) WHERE \(column) IS NOT NULL DO UPDATE SET
                  \(changing.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
                """
            )
        })
}
