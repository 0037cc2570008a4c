import Catalogue
import MirrorStore

/// Finds in which URLs two digests differ, by asking for the nodes on the way to them: a value that asks nobody itself.
///
/// From the root down, what has the same hash is left alone. So a difference among n URLs takes as many questions as the
/// trie is deep, which is the logarithm of n.
struct DigestDescent {
    /// A URL that one side hasn't, or has with another ETag.
    struct Difference: Hashable {
        let url: String
        /// `nil` where it isn't.
        let mine: String?, theirs: String?
    }

    struct Question: Hashable {
        let prefix: DigestPrefix
        /// The hash that the node above it said; `nil` for the root.
        let expected: String?
    }

    /// What has to be asked yet.
    private(set) var questions = [Question(prefix: .root, expected: nil)]
    private(set) var differences: [Difference] = []
    /// Whether an answer was not of the catalogue of which the one above it was.
    private(set) var hasMoved = false
    /// The hash of the whole, once it was answered.
    private(set) var root: String?

    /// Takes the next questions, at most so many.
    mutating func next(_ limit: Int) -> [Question] {
        let taken = Array(questions.suffix(limit))
        questions.removeLast(taken.count)
        return taken
    }

    /// Takes an answer in.
    ///
    /// - Parameters:
    ///   - mine: this side's node of that prefix.
    ///   - leaves: gives everything that this side has under a prefix.
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
        var left = Dictionary(
            mine.map { (ExactText($0.url), $0.etag) }, uniquingKeysWith: { first, _ in first })
        for leaf in theirs {
            let own = left.removeValue(forKey: ExactText(leaf.url))
            guard own.map(ExactText.init) != ExactText(leaf.etag) else { continue }
            differences.append(Difference(url: leaf.url, mine: own, theirs: leaf.etag))
        }
        differences += left.map { Difference(url: $0.key.text, mine: $0.value, theirs: nil) }
    }

    /// Refuses an answer that is not of the prefix, or whose parts don't make up its hash.
    private static func check(_ answer: DigestAnswer, _ prefix: DigestPrefix) throws {
        let hash: [UInt8]?
        switch answer.content {
        case .children(let texts):
            let children = texts.compactMap([UInt8].init(hexadecimal:)).map {
                DigestTrie.Summary(hash: $0, count: 0)
            }
            // Below the last digit of a key there is nothing.
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

/// A URL in which mirror and server differ, as what it stands for.
struct DigestDifference: Sendable, Hashable {
    let difference: DigestDescent.Difference
    /// `nil` for a URL of the server's that is none of the API's.
    let resource: CanonicalResource?

    /// What belongs to a show that was pruned here in the very version that the server has is none.
    static func all(
        _ differences: [DigestDescent.Difference], router: Router, among kinds: Kinds = .standard,
        pruned: [ExactText: String?] = [:]
    ) -> [DigestDifference] {
        let all = differences.map {
            DigestDifference(difference: $0, resource: router.resource(at: $0.url, among: kinds))
        }
        var left = Set<ExactText>()
        for case (.object(.show, let id)?, let theirs?) in all.map({ ($0.resource, $0.difference.theirs) })
        where pruned[ExactText(id)] == theirs {
            left.insert(ExactText(id))
        }
        return all.filter { one in
            one.isHeld || one.owner.map { $0.kind != .show || !left.contains(ExactText($0.id)) } ?? true
        }
    }

    /// The object that it is about: itself, or what it is under.
    var owner: Owner? {
        switch resource {
        case .object(let kind, let id)?: Owner(kind, id)
        case .document(let owner, _)?, .list(let owner, _)?: owner
        case nil: nil
        }
    }

    /// Whether the mirror's digest has the URL: what is stored without an ETag is not in it.
    var isHeld: Bool { difference.mine != nil }

    /// - Parameter isHere: whether it is stored, if without an ETag: a digest has nothing of it then.
    func finding(isHere: Bool) -> Finding {
        var (kind, id) = (owner?.kind.name, owner?.id), list: String?
        if case .document(_, let document)? = resource { (kind, id) = ("document", document) }
        if case .list(_, let under)? = resource { list = under.rawValue }
        if !isHeld, isHere {
            return Finding(
                what: .changed, kind: kind, id: id, url: difference.url,
                message:
                    "It is here without an ETag, so whether the server has another version of it is not known."
            )
        }
        let what: Finding.What = !isHeld ? .new : difference.theirs == nil ? .gone : .changed
        return Finding(what, onServer: kind, id, url: difference.url, list: list)
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
}
