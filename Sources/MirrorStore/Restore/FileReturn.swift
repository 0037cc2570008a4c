import Catalogue
import GRDB

/// Gives files back to the pictures and documents that had them, where they are still on the disk.
struct FileReturn {
    let db: Database
    let at: String
    let files: FileStore

    /// - Returns: those that are gone.
    func giveBack(_ lost: [LostFile], to owner: Owner) throws -> [LostFile] {
        try lost.filter { try !giveBack($0, to: owner) }
    }

    private func giveBack(_ lost: LostFile, to owner: Owner) throws -> Bool {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT hash, size, path, type FROM file WHERE hash = ?"),
            arguments: [lost.hash])
        guard let file = row.flatMap({ StoredFile(row: $0, from: 0) }), files.has(file) else { return false }
        let writer = FileWriter(db: db, at: at)
        if let role = ImageRole(rawValue: lost.role) {
            _ = try writer.write(
                FileRecord(
                    .image(lost.id, format: lost.format ?? "", role: role, of: owner),
                    entry: lost.entry ?? "", file: file, etag: nil, lastModified: nil))
        } else {
            try writer.ensure(file)
            try db.cachedStatement(
                sql: """
                    UPDATE document SET file = ?, file_entry = ?, file_unavailable_at = NULL
                    WHERE \(owner.kind.idColumn) = ? AND id = ?
                    """
            ).execute(arguments: [file.hash, lost.entry, owner.id, lost.id])
        }
        return true
    }
}
