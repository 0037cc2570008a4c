import Catalogue
import Crypto

/// The `digest` extension. The digest is computed again for each request.
extension PartnerResponder {
    private typealias Leaf = (key: String, leaf: DigestAnswer.Leaf)

    /// - Returns: `nil` if the path is not that of the digest.
    func digest(_ path: String, _ query: String) -> SimulatedPartner.Answer? {
        guard path == "\(PartnerCatalogue.root)/digest" else { return nil }
        guard traits.has("digest") else { return Self.notFound }
        let prefix = (Self.value("prefix", query) ?? "").lowercased()
        let leaves = leaves().filter { $0.key.hasPrefix(prefix) }, depth = prefix.utf8.count
        let content: DigestAnswer.Content =
            leaves.count <= 16
            ? .leaves(leaves.map(\.leaf)) : .children(Self.children(leaves, depth).map(\.hexadecimal))
        let node = DigestAnswer(prefix: prefix, hash: Self.hash(leaves, depth).hexadecimal, content: content)
        return SimulatedPartner.Answer(body: JSONValue.object(node.json).canonicalText)
    }

    /// The leaves: every canonical URL except the partner's own lists, whose members are leaves themselves.
    private func leaves() -> [Leaf] {
        let router = Router(partner: "p"), own = Set(Kinds.standard.listed.map { router.list($0).listURL })
        return entries().filter { !own.contains($0.key) }.map { url, answer in
            (Self.sha256(url).hexadecimal, DigestAnswer.Leaf(url: url, etag: answer.etag ?? ""))
        }.sorted { $0.key < $1.key }
    }

    private static func hash(_ leaves: [Leaf], _ depth: Int) -> [UInt8] {
        guard leaves.count > 1 else {
            return leaves.first.map { sha256("\($0.leaf.url)\0\($0.leaf.etag)") }
                ?? Array(repeating: 0, count: 32)
        }
        return Array(SHA256.hash(data: children(leaves, depth).flatMap { $0 }))
    }

    private static func children(_ leaves: [Leaf], _ depth: Int) -> [[UInt8]] {
        let digits = Dictionary(grouping: leaves) { Array($0.key)[depth] }
        return "0123456789abcdef".map { hash(digits[$0] ?? [], depth + 1) }
    }

    private static func sha256(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
