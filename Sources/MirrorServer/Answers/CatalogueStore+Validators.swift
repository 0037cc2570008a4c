import Catalogue
import MirrorStore

/// The partner's own list of a kind as the `validators` extension has it: every object's ETag, and those of the lists
/// under it, each exactly the ETag with which this server answers that list.
///
/// Each list takes one pass in the order of ids, and the passes are merged: no query for each object.
extension CatalogueStore {
    func validatorsList(_ kind: Kind) throws -> ListBody {
        var under = try kind.listsByName.map { (name: $0.rawValue, tags: try etags(of: $0, under: kind)) }
        var writer = ListWriter()
        try served { reader in
            try reader.eachListed(kind) { id, etag in
                let lists = under.indices.map { (name: under[$0].name, etag: under[$0].tags.etag(of: id)) }
                writer.append(elementID: id, etag: etag, lists: lists)
            }
        }
        return writer.body()
    }

    private func etags(of list: ObjectList, under kind: Kind) throws -> OwnedETags {
        var tags = OwnedETags()
        switch list {
        case .artworks:
            try served { reader in
                try reader.eachMember(of: kind) { id, artwork in tags.add(id) { $0.append(id: artwork) } }
            }
        case .documents:
            try served { reader in
                try reader.eachDocument(of: kind) { id, document, etag in
                    tags.add(id) { $0.append(elementID: document, etag: etag) }
                }
            }
        case .installationShots, .cover:
            try served { reader in
                try reader.eachShowImage { show, role, json in
                    if role == list.imageRole { tags.add(show) { $0.append(json: json) } }
                }
            }
        }
        return tags.finished()
    }
}

/// ETags of lists by their owner. Members come grouped by owner, owners in the order of their bytes, and ETags are requested in that order.
struct OwnedETags {
    private var writer = ListWriter()
    private var owner: String?
    private var entries: [(owner: String, etag: String)] = []
    private var position = 0

    /// Adds a member to the list of an owner.
    mutating func add(_ next: String, _ append: (inout ListWriter) -> Void) {
        if let owner, !UTF8Order.equal(owner, next) { entries.append((owner, writer.takeETag())) }
        owner = next
        append(&writer)
    }

    consuming func finished() -> OwnedETags {
        if let owner { entries.append((owner, writer.takeETag())) }
        owner = nil
        return self
    }

    /// The ETag of an owner's list. Owners must come in order.
    mutating func etag(of owner: String) -> String {
        while position < entries.count, UTF8Order.precedes(entries[position].owner, owner) { position += 1 }
        guard position < entries.count, UTF8Order.equal(entries[position].owner, owner) else {
            return ListBody.empty.etag
        }
        return entries[position].etag
    }
}
