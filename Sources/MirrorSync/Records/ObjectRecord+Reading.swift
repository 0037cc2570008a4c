import Catalogue
import MirrorStore

extension ObjectRecord {
    /// Reads the body of an object of which partners keep lists.
    ///
    /// - Parameter warnings: gets the fields that could not be taken.
    /// - Throws: ``PayloadError`` for what is no such object; ``SyncError`` for another kind.
    static func reading(
        _ kind: ObjectKind, _ body: JSONObject, etag: String?, warnings: inout [FieldWarning]
    ) throws -> ObjectRecord {
        switch kind {
        case .artwork: .artwork(try Artwork(body, warnings: &warnings), etag: etag)
        case .show: .show(try Show(body, warnings: &warnings), etag: etag)
        case .artist: ObjectRecord(kind, try Artist(body, warnings: &warnings), etag: etag)
        case .album: ObjectRecord(kind, try Album(body, warnings: &warnings), etag: etag)
        case .location: ObjectRecord(kind, try Location(body, warnings: &warnings), etag: etag)
        case .partner, .user, .document:
            throw SyncError(.badAnswer, "Partners keep no list of \(kind.rawValue)s.")
        }
    }
}
