import Yams

/// A mapping of a description: values by key, each key once.
struct DescriptionMapping {
    let node: DescriptionNode
    /// The keys and their values, in the order of the file.
    let entries: [(key: DescriptionNode, name: String, value: DescriptionNode)]

    /// Reads a mapping whose keys are names that the description chooses.
    ///
    /// - Throws: ``SourceDescriptionError`` for another node, and for a key that is no text or is written twice.
    init(_ node: DescriptionNode) throws(SourceDescriptionError) {
        guard case .mapping(let mapping) = node.node else {
            throw node.failure(
                node.path.isEmpty
                    ? "A description must be a mapping: lines such as \"source: met\"."
                    : "\(node.path) must be a mapping: {key: value}, or indented lines such as \"key: value\"."
            )
        }
        self.node = node
        var entries: [(key: DescriptionNode, name: String, value: DescriptionNode)] = [],
            names: Set<String> = []
        for (key, value) in mapping {
            let key = DescriptionNode(node: key, file: node.file, path: "A key of \(node.title)")
            let name = try key.text()
            guard names.insert(name).inserted else {
                throw key.failure(
                    "The key \(name.quoted) is written twice in \(node.title). Remove one of them.")
            }
            let path = node.path.isEmpty ? name.shortened : "\(node.path).\(name.shortened)"
            entries.append((key, name, DescriptionNode(node: value, file: node.file, path: path)))
        }
        self.entries = entries
    }

    /// Reads a mapping with certain keys.
    ///
    /// - Parameters:
    ///   - keys: the keys that it may have.
    ///   - later: keys that another version may know.
    /// - Throws: ``SourceDescriptionError`` for a key that is not among them, with the nearest one.
    init(_ node: DescriptionNode, keys: [String], later: [String] = []) throws(SourceDescriptionError) {
        try self.init(node)
        for entry in entries where !keys.contains(entry.name) {
            if later.contains(entry.name) {
                throw entry.key.failure(
                    "The key \(entry.name.quoted) is not supported in this version; it comes in a later version. Remove it."
                )
            }
            let suggestion =
                NearestName(of: entry.name, in: keys).suggestion ?? "The keys are \(keys.enumeration)."
            throw entry.key.failure("There is no key \(entry.name.quoted) in \(node.title). \(suggestion)")
        }
    }

    /// The value of a key; `nil` if the key is missing.
    subscript(_ key: String) -> DescriptionNode? { entries.first { $0.name == key }?.value }

    /// The value of a key that must be there.
    ///
    /// - Parameter hint: a sentence that says what to write.
    func required(_ key: String, _ hint: String) throws(SourceDescriptionError) -> DescriptionNode {
        guard let value = self[key] else {
            throw node.failure("The key \(key.quoted) is missing in \(node.title). \(hint)")
        }
        return value
    }

    /// The one key of several that exclude each other.
    func exactlyOne(of keys: [String]) throws(SourceDescriptionError) -> (
        name: String, value: DescriptionNode
    ) {
        let present = entries.filter { keys.contains($0.name) }
        guard present.count == 1 else {
            let place = present.dropFirst().first?.key ?? node
            throw place.failure("\(node.title) must have exactly one of the keys \(keys.enumeration).")
        }
        return (present[0].name, present[0].value)
    }

    /// Refuses keys that have no meaning beside others.
    ///
    /// - Parameter reason: when the key has a meaning, behind "belongs to".
    func refuse(_ keys: String..., reason: String) throws(SourceDescriptionError) {
        for entry in entries where keys.contains(entry.name) {
            throw entry.key.failure(
                "The key \(entry.name.quoted) in \(node.title) belongs to \(reason). Remove it.")
        }
    }
}

extension DescriptionNode {
    /// The node's name in messages, also of the whole description.
    var title: String { path.isEmpty ? "the description" : path }
}
