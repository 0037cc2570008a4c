import Catalogue

/// What a run's stored summary says, as far as pages show it. See `SyncSummary.json` for its form.
package struct RunDetails: Sendable, Hashable {
    /// Deletions to which the delete guard objected.
    package struct Objection: Sendable, Hashable {
        /// The name of the kind, or of the members of its lists, as of ``DeleteGuard/Intent/name``.
        package let name: String
        /// The number of stored objects or members.
        package let stored: Int
        /// The number in the server's lists.
        package let listed: Int
        package let deletions: Int

        package init(name: String, stored: Int, listed: Int, deletions: Int) {
            (self.name, self.stored, self.listed, self.deletions) = (name, stored, listed, deletions)
        }

        /// The plural in a sentence: `artworks`, `artworks in shows`, `installation shots`.
        package var noun: String {
            let kinds = Kinds.standard
            if name == "installation_shot" { return "installation shots" }
            if let kind = kinds[name] { return kind.plural }
            let owner = name.hasSuffix("_artwork") ? kinds[String(name.dropLast("_artwork".utf8.count))] : nil
            return owner.map { "artworks in \($0.plural)" } ?? "objects"
        }

        /// The singular in a sentence: `artwork`, `artwork in shows`, `installation shot`.
        package var singular: String {
            if name == "installation_shot" { return "installation shot" }
            if let kind = Kinds.standard[name] { return kind.name }
            return noun == "objects" ? "object" : "artwork" + noun.dropFirst("artworks".count)
        }
    }

    /// `nil` if the summary doesn't say.
    package var requests: Int?
    /// Received from the server; `nil` if the summary doesn't say.
    package var bytes: Int?
    package var seconds: Double?
    /// The message of the error that ended the run.
    package var error: String?
    /// When the source allows requests again, if that is why the run ended; in the store's format.
    package var continuesAt: String?
    package var objections: [Objection] = []
    /// The number of files that were downloaded, by `image`, `tile` and `document`.
    package var files: [String: Int] = [:]

    package init() {}

    /// Reads a summary. What it lacks, or what has another form, stays unknown.
    package init(summary: String?) {
        guard let summary, let object = try? JSONValue(parsing: summary).objectValue else { return }
        requests = object["requests"]?.objectValue?["sent"]?.numberValue?.intValue
        bytes = object["bytes"]?.objectValue?["received"]?.numberValue?.intValue
        seconds = object["seconds"]?.numberValue.flatMap { Double($0.lexeme) }
        error = object["error"]?.stringValue
        continuesAt = object["continues_at"]?.stringValue
        objections = (object["guard"]?.arrayValue ?? []).compactMap { value in
            guard let intent = value.objectValue, let name = intent["kind"]?.stringValue,
                let stored = intent["held"]?.numberValue?.intValue,
                let listed = intent["listed"]?.numberValue?.intValue,
                let deletions = intent["deletions"]?.numberValue?.intValue
            else { return nil }
            return Objection(name: name, stored: stored, listed: listed, deletions: deletions)
        }
        let objects = object["objects"]?.objectValue
        for name in ["image", "tile", "document"] {
            if let count = objects?[name]?.objectValue?["created"]?.numberValue?.intValue, count > 0 {
                files[name] = count
            }
        }
    }
}

extension CatalogueStore.RunRecord {
    package var details: RunDetails { RunDetails(summary: summary) }
}
