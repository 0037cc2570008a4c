import Catalogue
import GRDB

/// What a mirror remembers of the described source that it is a copy of.
package struct RememberedSource: Sendable, Hashable {
    /// A part of the selection: `NAME=VALUE`.
    package struct Selection: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The name of the source's description.
    package let name: String
    /// The base URL of all requests, which is also the mirror's origin.
    package let base: String
    /// The base URL in the description that the last sync used, which ``base`` may have replaced; `nil` if it isn't known.
    package let describedBase: String?
    /// The selected parts of the catalogue, in order; empty for all of it.
    package let selection: [Selection]
    /// The hash of the description that the last sync used.
    package let descriptionHash: String
    /// Whether the mirror may still have objects of an earlier selection, which the current one doesn't list.
    package let hasFormerSelection: Bool

    package init(
        name: String, base: String, describedBase: String? = nil, selection: [Selection] = [],
        descriptionHash: String, hasFormerSelection: Bool = false
    ) {
        (self.name, self.base, self.selection) = (name, base, selection)
        self.describedBase = describedBase
        self.descriptionHash = descriptionHash
        self.hasFormerSelection = hasFormerSelection
    }
}

extension RememberedSource {
    /// Reads the source of a mirror; `nil` if the mirror is of a server with the Partner API, or of files.
    static func find(in db: Database) throws -> RememberedSource? {
        guard let text = try CatalogueStore.metaValue(.source, in: db),
            let base = try CatalogueStore.metaValue(.origin, in: db),
            case .object(let stored) = try JSONValue(parsing: text), let name = stored["name"]?.stringValue
        else { return nil }
        let selection = stored["select"]?.arrayValue?.compactMap { pair -> Selection? in
            guard let words = pair.arrayValue?.compactMap(\.stringValue), words.count == 2 else { return nil }
            return Selection(words[0], words[1])
        }
        return RememberedSource(
            name: name, base: base, describedBase: stored["base"]?.stringValue, selection: selection ?? [],
            descriptionHash: stored["hash"]?.stringValue ?? "",
            hasFormerSelection: stored["former_selection"]?.boolValue ?? false)
    }

    /// The form in which it is stored, without ``base``, which is the mirror's origin.
    var text: String {
        var stored: JSONObject = [
            "name": .string(name), "hash": .string(descriptionHash),
            "select": .array(selection.map { .array([.string($0.name), .string($0.value)]) }),
            "former_selection": .bool(hasFormerSelection),
        ]
        if let describedBase { stored["base"] = .string(describedBase) }
        return JSONValue.object(stored).canonicalText
    }
}

extension CatalogueStore {
    /// The described source that this mirror is a copy of; `nil` if there is none.
    package var source: RememberedSource? { get throws { try read(RememberedSource.find) } }

    /// Remembers the source, and its base URL as the origin, in one transaction.
    ///
    /// Call it after the server has answered as described, so that a mistyped address is not remembered.
    package func setSource(_ source: RememberedSource) throws {
        guard try self.source != source else { return }
        try write { db in
            try Self.set(.source, to: source.text, in: db)
            try Self.set(.origin, to: source.base, in: db)
        }
    }
}
