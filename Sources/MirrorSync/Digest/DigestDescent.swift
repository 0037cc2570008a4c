import Catalogue
import MirrorStore

/// Finds the URLs in which two digests differ. It is a pure state machine: the caller performs the requests.
///
/// It starts at the root, and descends only into nodes whose hashes differ. So finding one difference among n URLs takes
/// about log n questions.
struct DigestDescent {
    /// A URL that only one side has, or that has different ETags.
    struct Difference: Hashable {
        let url: String
        /// The ETags in the mirror and on the server; `nil` on the side that lacks the URL.
        let mine: String?, theirs: String?
    }

    /// A node of the server's digest that has to be requested.
    struct Question: Hashable {
        let prefix: DigestPrefix
        /// The node's hash as its parent stated it; `nil` for the root.
        let expected: String?
    }

    /// The nodes that still have to be requested.
    private(set) var questions = [Question(prefix: .root, expected: nil)]
    private(set) var differences: [Difference] = []
    /// Whether a node's hash was not the one that its parent stated: the catalogue changed between the two requests.
    private(set) var hasMoved = false
    /// The hash of the server's root; `nil` before it was answered.
    private(set) var root: String?

    /// Removes and returns the next questions, at most `limit`.
    mutating func next(_ limit: Int) -> [Question] {
        let next = Array(questions.suffix(limit))
        questions.removeLast(next.count)
        return next
    }

    /// Processes the server's answer to a question.
    ///
    /// - Parameters:
    ///   - mine: the mirror's node with the same prefix.
    ///   - leaves: returns all of the mirror's leaves under a prefix.
    /// - Throws: ``SyncError`` for an answer that contradicts itself.
    mutating func take(
        _ answer: DigestAnswer, to question: Question, mine: DigestNode,
        leaves: (DigestPrefix) throws -> [DigestLeaf]
    ) throws {
        try Self.check(answer, question.prefix)
        if question.prefix == .root { root = answer.hash }
        if let expected = question.expected, expected != answer.hash { hasMoved = true }
        guard answer.hash != mine.summary.hash.hexadecimal else { return }
        switch answer.content {
        case .leaves(let theirs): compare(try leaves(question.prefix), theirs)
        case .children(let hashes):
            for (digit, (hash, own)) in zip(hashes, Self.children(of: mine)).enumerated()
            where hash != own.hash.hexadecimal {
                let child = question.prefix.child(digit)
                if hash == DigestTrie.zero.hexadecimal {
                    compare(try leaves(child), [])
                } else {
                    questions.append(Question(prefix: child, expected: hash))
                }
            }
        }
    }

    private static func children(of node: DigestNode) -> [DigestTrie.Summary] {
        switch node.content {
        case .children(let children): children
        case .leaves(let leaves):
            (0..<16).map { DigestTrie.summary(of: leaves, under: node.prefix.child($0)) }
        }
    }

    private mutating func compare(_ mine: [DigestLeaf], _ theirs: [DigestAnswer.Leaf]) {
        var unmatched = Dictionary(
            mine.map { (ExactText($0.url), $0.etag) }, uniquingKeysWith: { first, _ in first })
        for leaf in theirs {
            let own = unmatched.removeValue(forKey: ExactText(leaf.url))
            guard own.map(ExactText.init) != ExactText(leaf.etag) else { continue }
            differences.append(Difference(url: leaf.url, mine: own, theirs: leaf.etag))
        }
        differences += unmatched.map { Difference(url: $0.key.text, mine: $0.value, theirs: nil) }
    }

    /// Throws if an answer is of another prefix, or if its hash isn't that of its parts.
    private static func check(_ answer: DigestAnswer, _ prefix: DigestPrefix) throws {
        let hash: [UInt8]?
        switch answer.content {
        case .children(let texts):
            let children = texts.compactMap([UInt8].init(hexadecimal:)).map {
                DigestTrie.Summary(hash: $0, count: 0)
            }
            // The longest prefix is a full key, so it has no children.
            let isNode = prefix.depth < DigestPrefix.maximalLength && children.count == 16
            hash = isNode ? DigestTrie.hash(of: children) : nil
        case .leaves(let listed):
            let leaves = listed.map { DigestLeaf(url: $0.url, etag: $0.etag) }
            let areUnder = leaves.allSatisfy { prefix.leads(to: $0.key) }
            hash = areUnder ? DigestTrie.summary(of: leaves, under: prefix).hash : nil
        }
        guard answer.prefix == prefix.text, hash?.hexadecimal == answer.hash else {
            throw SyncError(.badAnswer, "The server's digest contradicts itself, so it proves nothing.")
        }
    }
}

/// A URL in which mirror and server differ, with the resource that it names.
struct DigestDifference: Sendable, Hashable {
    let difference: DigestDescent.Difference
    /// `nil` if the server's URL is none of the API's.
    let resource: CanonicalResource?

    /// Resolves differences. Those of a pruned show are left out if the server still has the pruned version.
    ///
    /// - Parameter pruned: the ETags of the pruned shows' versions, by id.
    static func all(
        _ differences: [DigestDescent.Difference], router: Router, among kinds: Kinds = .standard,
        pruned: [ExactText: String?] = [:]
    ) -> [DigestDifference] {
        let all = differences.map {
            DigestDifference(difference: $0, resource: router.resource(at: $0.url, among: kinds))
        }
        var unchanged = Set<ExactText>()
        for case (.object(.show, let id)?, let theirs?) in all.map({ ($0.resource, $0.difference.theirs) })
        where pruned[ExactText(id)] == theirs {
            unchanged.insert(ExactText(id))
        }
        return all.filter { item in
            item.isHeld
                || item.owner.map { $0.kind != .show || !unchanged.contains(ExactText($0.id)) } ?? true
        }
    }

    /// The object that the URL names or belongs to.
    var owner: Owner? {
        switch resource {
        case .object(let kind, let id)?: Owner(kind, id)
        case .document(let owner, _)?, .list(let owner, _)?: owner
        case nil: nil
        }
    }

    /// Whether the mirror's digest has the URL. Rows without an ETag are not in the digest.
    var isHeld: Bool { difference.mine != nil }

    /// The difference as a finding of `verify`.
    ///
    /// - Parameter isHere: whether the object, list or document is stored, with or without an ETag.
    func finding(isHere: Bool) -> Finding {
        var (kind, id) = (owner?.kind.name, owner?.id), list: String?
        if case .document(_, let document)? = resource { (kind, id) = ("document", document) }
        if case .list(_, let under)? = resource { list = under.rawValue }
        if !isHeld, isHere {
            return Finding(
                what: .changed, kind: kind, id: id, url: difference.url,
                message:
                    "It is stored without an ETag, so it is unknown whether the server has another version of it."
            )
        }
        let what: Finding.What = !isHeld ? .new : difference.theirs == nil ? .gone : .changed
        return Finding(what, onServer: kind, id, url: difference.url, list: list)
    }

    /// Whether any version of the object, list or document is stored.
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
}
