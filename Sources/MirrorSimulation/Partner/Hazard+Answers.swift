import Catalogue
import MirrorStore
import MirrorSync

/// The effects of hazards on answers.
extension Hazard {
    /// JSON of list elements without a usable id.
    static let unusable = [
        "null", #""""#, "true", #""a\u0000b""#, #"{"title":"of nothing"}"#, #"{"id":null}"#,
        #"{"id":"a\u0000b","title":"cut"}"#,
    ]

    /// Whether the URL is that of a list whose elements have ids.
    static func isList(_ url: String) -> Bool {
        guard !url.containsUTF8("since=") else { return false }
        let path = url.prefix { $0 != "?" }
        if Kinds.standard.listed.contains(where: { PartnerCatalogue.list($0)[...] == path }) { return true }
        return path.hasSuffix("/artworks/all") || isUnderObject(path)
    }

    private static func isUnderObject(_ path: Substring) -> Bool {
        ["/artworks", "/documents", "/images"].contains { path.hasSuffix($0) }
    }

    /// Whether the URL is that of a list under an album or a show.
    static func isUnderShowOrAlbum(_ url: String) -> Bool {
        let path = url.prefix { $0 != "?" }
        let owners = ["/show/", "/album/", "/partner_show/"]
        return isUnderObject(path) && owners.contains { String(path).containsUTF8($0) }
    }

    /// Inserts an unusable element into some lists.
    ///
    /// - Returns: the changed body, and whether it has the ETag of the list without that element; `nil` if the list is
    ///   not changed.
    static func listWithUnusableElement(_ url: String, _ body: String, seed: UInt64) -> (
        body: String, keepsETag: Bool
    )? {
        guard isList(url) else { return nil }
        var random = SplitMix(seed: seed ^ Fingerprint.of(url))
        guard random.chance(40), let elements = try? JSONValue(parsing: body).arrayValue else { return nil }
        var texts = elements.map(\.canonicalText)
        texts.insert(random.element(of: unusable) ?? "null", at: random.below(texts.count + 1))
        return ("[\(texts.joined(separator: ","))]", random.chance(50))
    }

    /// A snapshot in which some lists have an unusable element.
    static func snapshotWithUnusableElements(_ body: String, seed: UInt64) -> String {
        body.split(separator: "\n").map { line -> String in
            guard case .object(var entry)? = try? JSONValue(parsing: String(line)),
                let url = entry["url"]?.stringValue, let list = entry["body"]?.canonicalText,
                let changed = listWithUnusableElement(url, list, seed: seed)?.body,
                let value = try? JSONValue(parsing: changed)
            else { return "\(line)\n" }
            entry["body"] = value
            return "\(JSONValue.object(entry).canonicalText)\n"
        }.joined()
    }
}
