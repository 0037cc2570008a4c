import Catalogue
import MirrorStore

/// A URL in which mirror and server differ, as what it stands for.
struct DigestDifference: Sendable, Hashable {
    let url: String
    /// `nil` for a URL of the server's that is none of the API's.
    let resource: CanonicalResource?
    /// The object that it is about: itself, or what it is under.
    let owner: Owner?
    let mine: String?
    let theirs: String?
    /// The ETag that the server gives the object itself, where that differs.
    private(set) var ownerETag: String?

    init(_ difference: DigestDescent.Difference, router: Router) {
        url = difference.url
        (mine, theirs) = (difference.mine, difference.theirs)
        resource = router.resource(at: difference.url)
        owner =
            switch resource {
            case .object(let kind, let id)?: Owner(kind, id)
            case .document(let owner, _)?, .list(let owner, _)?: owner
            case nil: nil
            }
    }

    static func all(_ differences: [DigestDescent.Difference], router: Router) -> [DigestDifference] {
        let all = differences.map { DigestDifference($0, router: router) }
        var etags: [ExactText: String] = [:]
        for case (let id, let etag?) in all.compactMap({ difference -> (String, String?)? in
            guard case .object(.show, let id)? = difference.resource else { return nil }
            return (id, difference.theirs)
        }) { etags[ExactText(id)] = etag }
        return all.map { difference in
            var difference = difference
            if let owner = difference.owner, owner.kind == .show {
                difference.ownerETag = etags[ExactText(owner.id)]
            }
            return difference
        }
    }

    /// Whether it belongs to a show that was pruned here in the very version that the server has.
    func isPruned(_ pruned: [ExactText: String?]) -> Bool {
        guard let owner, owner.kind == .show, mine == nil, let known = pruned[ExactText(owner.id)] else {
            return false
        }
        return ownerETag != nil && known == ownerETag
    }

    /// - Parameter isHere: whether it is stored, if without an ETag: a digest has nothing of it then.
    func finding(isHere: Bool) -> Finding {
        let what: Finding.What = mine == nil && !isHere ? .new : theirs == nil ? .gone : .changed
        let subject = subject
        return Finding(
            what, kind: subject.kind, id: subject.id, url: url,
            message: mine == nil && isHere
                ? "It is here without an ETag, so whether the server has another version of it is not known."
                : Self.message(what, resource))
    }

    /// Whether it is stored, as what the server has or another version.
    func isStored(in store: CatalogueStore) throws -> Bool {
        guard let owner else { return false }
        switch resource {
        case .object? where !owner.kind.isListed: return try store.storedSingle(owner.kind) != nil
        case .object?: return try store.storedETags(owner.kind, ids: [owner.id])[ExactText(owner.id)] != nil
        case .document(_, let id)?: return try store.storedDocuments(of: owner).contains { $0.id == id }
        case .list(_, let list)?:
            let states = try store.listsUnder(owner.kind, ids: [owner.id])
            return states[owner.id]?[list.rawValue]?.complete == true
        case nil: return false
        }
    }

    private var subject: (kind: String?, id: String?) {
        if case .document(_, let id)? = resource { return ("document", id) }
        return (owner?.kind.name, owner?.id)
    }

    private static func message(_ what: Finding.What, _ resource: CanonicalResource?) -> String {
        let members: String? =
            if case .list(_, let list)? = resource { Finding.members(list.rawValue) } else { nil }
        switch (what, members) {
        case (.changed, let members?): return "The server has another list of its \(members)."
        case (.new, let members?): return "The server has a list of its \(members) that is not here."
        case (_, let members?): return "The list of its \(members) is here, but the server does not have it."
        case (.changed, nil): return "The server has another version of it."
        case (.new, nil): return "The server has it, but it is not here."
        default: return "It is here, but the server does not have it."
        }
    }
}
