import Catalogue
import MirrorStore

extension ObjectList {
    /// The list under one object as this server answers it.
    func body(of owner: Owner, in reader: ServedReader) throws -> ListBody {
        switch self {
        case .artworks: try .ids(reader.members(of: owner))
        case .documents: try .documents(reader.documents(of: owner))
        case .installationShots: try .values(reader.images(ofShow: owner.id, role: .installation))
        case .cover: try .values(reader.images(ofShow: owner.id, role: .cover))
        }
    }

    /// The ETags of all lists under an object, in the order of their names.
    static func etags(of owner: Owner, in reader: ServedReader) throws -> [(name: String, etag: String)] {
        try owner.kind.lists.map { (name: $0.rawValue, etag: try $0.body(of: owner, in: reader).etag) }
    }
}
