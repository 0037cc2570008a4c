import Catalogue

/// Which ETags a digest is over.
package enum DigestSide: Int64, Sendable, CaseIterable {
    /// Those that this mirror gives when it is served.
    case served = 0
    /// Those that the server gave of which this is a mirror.
    case origin = 1
}

/// What an object has in a digest.
package struct OwnedLeaves: Sendable, Hashable {
    /// The object's own; `nil` of what isn't in the digest, and then there is nothing under it either.
    package var own: DigestLeaf?
    /// The lists under it, and its documents.
    package var under: [DigestLeaf]

    package init(own: DigestLeaf? = nil, under: [DigestLeaf] = []) {
        self.own = own
        self.under = under
    }
}

/// Knows the leaves of a digest, by the objects that they belong to.
package protocol DigestSource: Sendable {
    var side: DigestSide { get }
    /// An object's canonical URL; `nil` for a kind whose objects have none in the digest.
    func url(of owner: Owner) -> String?
    /// What an object has in the digest now.
    func leaves(of owner: Owner, in reader: ServedReader) throws -> OwnedLeaves
    /// Everything that is in the digest now, object by object.
    func eachOwner(in reader: ServedReader, _ body: (Owner, OwnedLeaves) throws -> Void) throws
}

/// How a digest calls what is in it: canonical URLs, relative to the base. The store knows of no URLs itself.
package struct DigestNames: Sendable {
    package let object: @Sendable (Owner) -> String?
    /// A document, by its owner and its id.
    package let document: @Sendable (Owner, String) -> String?
    /// A list under an object, by the name that validators give it.
    package let list: @Sendable (Owner, String) -> String?

    package init(
        object: @escaping @Sendable (Owner) -> String?,
        document: @escaping @Sendable (Owner, String) -> String?,
        list: @escaping @Sendable (Owner, String) -> String?
    ) {
        self.object = object
        self.document = document
        self.list = list
    }
}
