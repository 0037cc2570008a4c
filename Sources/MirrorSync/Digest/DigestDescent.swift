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
        let expected: [UInt8]?
    }

    /// What has to be asked yet.
    private(set) var questions = [Question(prefix: .root, expected: nil)]
    private(set) var differences: [Difference] = []
    /// Whether an answer was not of the catalogue of which the one above it was.
    private(set) var hasMoved = false
    /// The hash of the whole, once it was answered.
    private(set) var root: [UInt8]?

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
        let theirs = try Node(answer, question.prefix)
        if question.prefix == .root { root = theirs.hash }
        if let expected = question.expected, expected != theirs.hash { hasMoved = true }
        guard theirs.hash != mine.summary.hash else { return }
        switch theirs.content {
        case .leaves(let their): compare(try leaves(question.prefix), their)
        case .children(let hashes):
            let own = Self.children(of: mine)
            for (digit, hash) in hashes.enumerated() where hash != own[digit] {
                let child = question.prefix.child(digit)
                if hash == DigestTrie.zero {
                    compare(try leaves(child), [])
                } else {
                    questions.append(Question(prefix: child, expected: hash))
                }
            }
        }
    }

    private static func children(of node: DigestNode) -> [[UInt8]] {
        switch node.content {
        case .children(let children): children.map(\.hash)
        case .leaves(let leaves):
            (0..<16).map { DigestTrie.summary(of: leaves, under: node.prefix.child($0)).hash }
        }
    }

    private mutating func compare(_ mine: [DigestLeaf], _ theirs: [DigestLeaf]) {
        var left = Dictionary(
            mine.map { (ExactText($0.url), $0.etag) }, uniquingKeysWith: { first, _ in first })
        for leaf in theirs {
            let own = left.removeValue(forKey: ExactText(leaf.url))
            guard own.map(ExactText.init) != ExactText(leaf.etag) else { continue }
            differences.append(Difference(url: leaf.url, mine: own, theirs: leaf.etag))
        }
        differences += left.map { Difference(url: $0.key.text, mine: $0.value, theirs: nil) }
    }

    /// An answer that holds together.
    private struct Node {
        enum Content {
            case children([[UInt8]])
            case leaves([DigestLeaf])
        }

        let hash: [UInt8]
        let content: Content

        init(_ answer: DigestAnswer, _ prefix: DigestPrefix) throws {
            guard answer.prefix == prefix.text, let hash = [UInt8](hexadecimal: answer.hash) else {
                throw Self.broken
            }
            self.hash = hash
            switch answer.content {
            case .children(let texts):
                let hashes = texts.compactMap([UInt8].init(hexadecimal:))
                let children = hashes.map { DigestTrie.Summary(hash: $0, count: 0) }
                // Below the last digit of a key there is nothing.
                guard prefix.depth < DigestPrefix.maximalLength, hashes.count == 16,
                    DigestTrie.hash(of: children) == hash
                else { throw Self.broken }
                content = .children(hashes)
            case .leaves(let listed):
                let leaves = listed.map { DigestLeaf(url: $0.url, etag: $0.etag) }
                guard leaves.allSatisfy({ prefix.leads(to: $0.key) }),
                    DigestTrie.summary(of: leaves, under: prefix).hash == hash
                else { throw Self.broken }
                content = .leaves(leaves)
            }
        }

        private static var broken: SyncError {
            SyncError(.badAnswer, "The server's digest contradicts itself, so it proves nothing.")
        }
    }
}
