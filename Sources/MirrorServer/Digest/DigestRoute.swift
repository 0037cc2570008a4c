import Catalogue
import Hummingbird
import MirrorStore

/// Answers nodes of the digest (`GET /partner/{p}/digest?prefix=HEX`; without a prefix, the root).
///
/// The store keeps it: a node is one row. What changed since it was asked last is brought into it first.
struct DigestRoute {
    let mirror: ServedMirror
    let query: RequestTarget

    /// - Throws: ``Refusal``: 400 for a prefix that isn't up to 64 hexadecimal digits.
    func node() throws -> Response {
        guard let prefix = DigestPrefix(query["prefix"] ?? "") else {
            throw Refusal.invalid(
                "prefix", "A prefix is up to \(DigestPrefix.maximalLength) hexadecimal digits.")
        }
        guard let partner = try mirror.store.servedSingle(.partner)?.id else { throw Refusal.notFound }
        let node = try mirror.store.digest(prefix, from: ServedLeaves(partner: partner))
        return Reply.unkept(.ok, DigestAnswer(node).json.canonicalText)
    }
}

extension DigestAnswer {
    init(_ node: DigestNode) {
        let content: Content =
            switch node.content {
            case .children(let children): .children(children.map(\.hash.hexadecimal))
            case .leaves(let leaves): .leaves(leaves.map { Leaf(url: $0.url, etag: $0.etag) })
            }
        self.init(prefix: node.prefix.text, hash: node.summary.hash.hexadecimal, content: content)
    }
}
