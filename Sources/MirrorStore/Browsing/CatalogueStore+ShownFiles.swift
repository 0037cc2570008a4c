import Catalogue
import GRDB

/// The files that a face may see.
extension CatalogueStore {
    /// The file of a picture, if an object that the face may see has it; `nil` otherwise.
    ///
    /// Objects with equal pictures share a file, so it is shown if one of them is.
    package func shownPicture(_ hash: String, to face: Face) throws -> StoredFile? {
        try read { db in
            guard let file = try StoredFile.find(hash, in: db) else { return nil }
            let isShown = try db.isTrue(
                """
                SELECT EXISTS (SELECT 1 FROM image_file f JOIN image i ON i.pk = f.image
                  LEFT JOIN artwork a ON a.id = i.artwork_id
                  WHERE f.hash = ? AND (i.show_id IS NOT NULL OR \(face.isVisible(.artwork, "a"))))
                """, [hash])
            return isShown ? file : nil
        }
    }
}
