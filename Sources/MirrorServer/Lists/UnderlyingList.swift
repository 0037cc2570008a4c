import Catalogue
import MirrorStore

/// A list under an object, by the name that `validators` and `since` give its ETag.
enum UnderlyingList: String {
    case artworks, documents
    case installationShots = "images?default=0"
    case cover = "images?default=1"

    /// Those that objects of a kind have, in the order of their names.
    static func all(of kind: Kind) -> [UnderlyingList] {
        switch kind {
        case .show: [.artworks, .documents, .installationShots, .cover]
        case .artist: [.documents]
        case .album, .location: [.artworks]
        default: []
        }
    }

    /// The ETags of all lists under an object, in the order of their names.
    static func etags(of owner: Owner, in reader: ServedReader) throws -> [(name: String, etag: String)] {
        try all(of: owner.kind).map { (name: $0.rawValue, etag: try $0.etag(of: owner, in: reader)) }
    }

    /// The ETag with which this server answers that list of one object.
    func etag(of owner: Owner, in reader: ServedReader) throws -> String {
        switch self {
        case .artworks: try ListBody.ids(reader.members(of: owner)).etag
        case .documents: try ListBody.documents(reader.documents(of: owner)).etag
        case .installationShots:
            try ListBody.values(reader.images(ofShow: owner.id, role: .installation)).etag
        case .cover: try ListBody.values(reader.images(ofShow: owner.id, role: .cover)).etag
        }
    }
}
