import Catalogue
import MirrorStore

/// The partner's own list of a kind as the `validators` extension has it: every object's ETag, and those of the lists
/// under it, each exactly the ETag with which this server answers that list.
///
/// Everything is read in four passes at most, each in the order of ids, and merged: no query for each object.
struct ValidatorsList {
    let store: CatalogueStore

    func body(_ kind: Kind) throws -> ListBody {
        var under = try lists(under: kind)
        var writer = ListWriter()
        try store.served { reader in
            try reader.eachListed(kind) { id, etag in
                let lists = under.indices.map {
                    (name: under[$0].list.rawValue, etag: under[$0].tags.etag(of: id))
                }
                writer.append(id: id, etag: etag, lists: lists)
            }
        }
        return writer.body()
    }

    /// The lists that objects of a kind have, in the order of their names.
    private func lists(under kind: Kind) throws -> [(list: ObjectList, tags: OwnedETags)] {
        let pictures = try kind == .show ? pictures() : nil
        return try kind.lists.map { list in
            switch list {
            case .artworks: (list, try members(of: kind))
            case .documents: (list, try documents(of: kind))
            case .installationShots: (list, pictures?.installation ?? OwnedETags())
            case .cover: (list, pictures?.cover ?? OwnedETags())
            }
        }
    }

    private func members(of kind: Kind) throws -> OwnedETags {
        var tags = OwnedETags()
        try store.served { reader in
            try reader.eachMember(of: kind) { owner, artwork in tags.append(id: artwork, of: owner) }
        }
        return tags.finished()
    }

    private func documents(of kind: Kind) throws -> OwnedETags {
        var tags = OwnedETags()
        try store.served { reader in
            try reader.eachDocument(of: kind) { owner, id, etag in
                tags.append(id: id, etag: etag, of: owner)
            }
        }
        return tags.finished()
    }

    private func pictures() throws -> (installation: OwnedETags, cover: OwnedETags) {
        var installation = OwnedETags(), cover = OwnedETags()
        try store.served { reader in
            try reader.eachShowImage { show, role, json in
                switch role {
                case .installation: installation.append(json: json, of: show)
                case .cover: cover.append(json: json, of: show)
                case .picture: break
                }
            }
        }
        return (installation.finished(), cover.finished())
    }
}

/// ETags of lists by their owner. Members come grouped by owner, owners in the order of their bytes, and are asked for so.
struct OwnedETags {
    private var writer = ListWriter()
    private var owner: String?
    private var entries: [(owner: String, etag: String)] = []
    private var position = 0

    /// The ETag of a list without members.
    static let empty = ListBody.empty.etag

    mutating func append(id: String, of owner: String) {
        turn(to: owner)
        writer.append(id: id)
    }

    mutating func append(id: String, etag: String, of owner: String) {
        turn(to: owner)
        writer.append(id: id, etag: etag, lists: [])
    }

    mutating func append(json: String, of owner: String) {
        turn(to: owner)
        writer.append(json: json)
    }

    consuming func finished() -> OwnedETags {
        if let owner { entries.append((owner, writer.takeETag())) }
        owner = nil
        return self
    }

    /// The ETag of an owner's list; owners must be asked for in order.
    mutating func etag(of owner: String) -> String {
        while position < entries.count, UTF8Order.precedes(entries[position].owner, owner) { position += 1 }
        guard position < entries.count, UTF8Order.equal(entries[position].owner, owner) else {
            return Self.empty
        }
        return entries[position].etag
    }

    private mutating func turn(to next: String) {
        guard owner.map({ !UTF8Order.equal($0, next) }) ?? true else { return }
        if let owner { entries.append((owner, writer.takeETag())) }
        owner = next
    }
}
