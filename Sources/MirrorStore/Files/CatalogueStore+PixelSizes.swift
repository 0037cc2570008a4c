import Catalogue
import GRDB

/// The sizes of stored pictures in pixels.
///
/// A sync reads them from the files that it downloads. The columns are `NULL` for files of mirrors made by earlier versions;
/// ``readPixelSizes(in:limit:)`` fills them in.
extension CatalogueStore {
    /// The size of a stored picture: the one in its row, or else the one in the file's header. Nothing is written.
    ///
    /// - Returns: `nil` if the file is no picture that a browser shows, or can't be read.
    package func pixelSize(of file: StoredFile, in files: FileStore) throws -> PixelSize? {
        let row = try read { try $0.row("SELECT width, height FROM file WHERE hash = ?", [file.hash]) }
        guard let width: Int = row?[0], let height: Int = row?[1] else {
            return PixelSize.read(from: file, in: files)
        }
        return PixelSize(checking: width, height)
    }

    /// Reads the sizes of files that were not read yet, and stores them. Idempotent.
    ///
    /// If there are none, which is the usual case, it is one query of an index. Files are read between the transactions.
    ///
    /// - Parameter limit: the maximum number of files, so that the run of a large mirror isn't much longer; the next run
    ///   continues. Default: 20,000.
    /// - Returns: the number of files that were read.
    @discardableResult
    package func readPixelSizes(in files: FileStore, limit: Int = 20_000) throws -> Int {
        var count = 0
        while count < limit, !Task.isCancelled {
            let unread = try read { [count] db in
                try StoredFile.fetchAll(
                    db, "WHERE width IS NULL LIMIT ?", [min(Self.filesPerTransaction, limit - count)])
            }
            guard !unread.isEmpty else { break }
            let sizes = unread.map { ($0.hash, PixelSize.read(from: $0, in: files) ?? PixelSize.none) }
            // Another run may have read them in the meantime, which changes nothing: equal digests are equal files.
            try write(isServed: false) { db in
                for (hash, size) in sizes {
                    try db.run(
                        "UPDATE file SET width = ?, height = ? WHERE hash = ?",
                        [size.width, size.height, hash])
                    guard size == PixelSize.none else { continue }
                    // Lists said that the artwork has a picture, as long as the size was unknown.
                    try db.run(
                        """
                        INSERT OR IGNORE INTO unindexed_artwork (id) SELECT i.artwork_id
                        FROM image_file f CROSS JOIN image i ON i.pk = f.image AND i.artwork_id IS NOT NULL WHERE f.hash = ?
                        """, [hash])
                }
            }
            count += unread.count
        }
        return count
    }

    private static let filesPerTransaction = 500
}
