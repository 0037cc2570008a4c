import Catalogue
import Foundation

extension SourceDescription {
    /// Reads a description.
    ///
    /// SQL is not compiled here: which columns a query has, and whether it is valid, is checked by the reader.
    ///
    /// - Parameters:
    ///   - yaml: the text, of at most 1 MiB.
    ///   - file: the file's name, for messages.
    /// - Throws: ``SourceDescriptionError`` for the first thing that is wrong, with its line and column and, where a name is near a
    ///   known one, a suggestion.
    package init(yaml: String, file: String) throws(SourceDescriptionError) {
        try self.init(yaml: yaml, file: file, named: nil)
    }

    /// Reads a description that must have a certain name, because its file has it; `nil` for any name.
    init(yaml: String, file: String, named name: String?) throws(SourceDescriptionError) {
        // Yams reads nested nodes by recursion, up to 1,000 levels, for which the stacks of some threads are too small. The semaphore
        // orders the accesses to both variables.
        nonisolated(unsafe) var description = SourceDescription()
        nonisolated(unsafe) var failure: SourceDescriptionError?
        let end = DispatchSemaphore(value: 0)
        let thread = Thread {
            do throws(SourceDescriptionError) {
                description = try SourceDescription(DescriptionFile(yaml, name: file), named: name)
            } catch {
                failure = error
            }
            end.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
        end.wait()
        if let failure { throw failure }
        self = description
    }

    private init(_ file: DescriptionFile, named name: String?) throws(SourceDescriptionError) {
        self.init()
        let top = try DescriptionMapping(
            DescriptionNode(node: file.root, file: file, path: ""), keys: Self.keys, later: ["namespaces"])
        try readMuseum(top)
        if let name, name != id, let node = top["source"] {
            throw node.failure(
                "The source is called \(id.quoted), but the file is called \(name.shortened).yaml. Give both the same name."
            )
        }
        let base = try readHosts(top)
        try readRequests(top)
        let templates = TemplateReader(base: base, hosts: hosts)
        try readKinds(top, templates)
        if let node = top["select"] { selections = try readSelections(node, templates) }
    }

    /// The keys of the whole description, in the order in which a description has them.
    private static let keys =
        [
            "source", "title", "website", "base", "licence", "works", "rights", "hosts", "rate", "blocked",
            "select",
            "key", "headers", "contact", "language",
        ] + kindsByKey.map(\.kind.plural)

    /// The kinds that can be described, by their key.
    private static let kindsByKey = Kinds.standard.listed.map { (key: $0.plural, kind: $0) }

    private mutating func readMuseum(_ top: DescriptionMapping) throws(SourceDescriptionError) {
        id = try top.required("source", "Give the source a name, such as \"source: met\".").sourceName()
        title = try top.required("title", "Write the museum's name.").text()
        website = try top["website"]?.webAddress()
        licence = try top["licence"]?.text()
        works = try top["works"]?.integer(1...1_000_000_000)
        try top["rights"]?.only("unchecked")
        hasUncheckedRights = top["rights"] != nil
        contact = try top["contact"]?.text("an e-mail address or a web address", where: Self.isContact)
        language = try top["language"]?.text("the code of a language, such as en", where: Self.isLanguage)
    }

    private mutating func readHosts(_ top: DescriptionMapping) throws(SourceDescriptionError) -> WebAddress {
        let address = try top.required(
            "base", "Write the address that all requests begin with, such as https://api.museum.org/v1."
        ).baseAddress()
        base = address.text
        for element in try top["hosts"]?.elements() ?? [] { hosts.append(try element.host()) }
        return address
    }

    private mutating func readKinds(
        _ top: DescriptionMapping, _ templates: TemplateReader
    ) throws(SourceDescriptionError) {
        for (key, kind) in Self.kindsByKey {
            guard let node = top[key] else { continue }
            let reader = KindReader(kind: kind, templates: templates, hasUncheckedRights: hasUncheckedRights)
            kinds.append(try reader.description(node))
        }
        guard kinds.contains(where: { $0.list != nil }) else {
            throw top.node.failure(
                "No kind has a list. Describe at least \"artworks\", with a list and an object.")
        }
    }

    private func readSelections(
        _ node: DescriptionNode, _ templates: TemplateReader
    ) throws(SourceDescriptionError) -> [String: Selection] {
        guard let list = self[.artwork]?.list else {
            throw node.failure(
                "A selection replaces the request of artworks.list, but there is no such list.")
        }
        var selections: [String: Selection] = [:]
        for entry in try DescriptionMapping(node).entries {
            guard DescriptionNode.isFieldName(entry.name) else {
                throw entry.key.failure(
                    "The name of a selection consists of letters, digits, hyphens and underscores, but it is \(entry.name.quoted)."
                )
            }
            let keys = try DescriptionMapping(entry.value, keys: ["get", "window"])
            let get = try keys.required("get", "Write the request, with {value}, that replaces the list's.")
            selections[entry.name] = Selection(
                get: try templates.template(get, for: .selection(list.form)),
                window: try keys["window"]?.integer(1...1_000_000_000))
        }
        return selections
    }

    private static func isContact(_ text: String) -> Bool {
        // Parentheses would end the comment in `User-Agent` that contains the address.
        if let address = WebAddress(text) { return address.isPage && !text.contains { "()".contains($0) } }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && WebAddress.isHost(parts[1].lowercased()) && !parts[0].isEmpty
            && parts[0].utf8.allSatisfy { $0.isLetterOrDigit || "._+-".utf8.contains($0) }
    }

    private static func isLanguage(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return (2...3).contains(parts[0].utf8.count)
            && parts.allSatisfy { (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isLetterOrDigit) }
    }
}

extension DescriptionNode {
    /// The id of a source, which is also the name of its mirror.
    fileprivate func sourceName() throws(SourceDescriptionError) -> String {
        let name = try text(
            "a name of 1 to 40 lowercase letters, digits and hyphens that begins with a letter or digit",
            where: SourceDescription.isName)
        guard !SourceDescription.reservedNames.contains(name) else {
            throw failure(
                "\(path) can't be \(name.quoted): the server uses this name for pages of its own. Choose another."
            )
        }
        return name
    }
}

extension SourceDescription {
    /// The URL of a request: the template with its values, behind ``base`` unless it is a whole URL.
    package func url(_ template: URLTemplate, _ values: [URLTemplate.Placeholder: String] = [:]) -> String {
        (template.isAbsolute ? "" : base) + template.filled(values)
    }

    /// Whether a text has the form of a source's name.
    static func isName(_ text: some StringProtocol) -> Bool {
        (1...40).contains(text.utf8.count) && text.first != "-"
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D }
    }

    /// Names that `mirror serve` uses for pages that belong to no mirror, and the folder of descriptions.
    static let reservedNames = ["api", "assets", "login", "status", "sources"]
}
