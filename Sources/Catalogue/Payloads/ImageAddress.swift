/// Where the files of a picture are: a template of their addresses, and the formats that the server offers.
package struct ImageAddress: Sendable, Hashable {
    /// An address whose last path component is the file of some format; `nil` if there is none.
    package let template: String?
    /// The offered formats; `nil` if the server doesn't say.
    package let versions: [String]?

    package init(template: String?, versions: [String]?) {
        self.template = template
        self.versions = versions
    }

    /// The formats to fetch.
    ///
    /// Where the server doesn't say what it offers, what is wanted is simply tried.
    /// - Parameter wanted: format names; `nil` means `larger`, else the largest offered.
    /// - Returns: those of `wanted` that are offered, each once; for `nil` at most one.
    public func chosenFormats(wanted: [String]? = nil) -> [String] {
        guard let wanted else { return [chosenFormat()].compactMap(\.self) }
        var chosen: [String] = []
        for format in wanted where !chosen.contains(format) {
            if versions?.contains(format) ?? true { chosen.append(format) }
        }
        return chosen
    }

    /// The one format to fetch: of those wanted, or of all for `nil`, `larger` if it is offered, else the largest.
    /// `nil` if nothing suits.
    public func chosenFormat(wanted: [String]? = nil) -> String? {
        var candidates = versions ?? wanted ?? [ImageEntry.defaultFormat]
        if let wanted { candidates.removeAll { !wanted.contains($0) } }
        if candidates.contains(ImageEntry.defaultFormat) { return ImageEntry.defaultFormat }
        // Of formats that we don't know, none is known to be large.
        return candidates.max { Self.rank($0) < Self.rank($1) }
    }

    private static func rank(_ format: String) -> Int { ImageEntry.formats.firstIndex(of: format) ?? -1 }

    /// Where a format's bytes are: `image_url` with the last component of its path replaced by `{format}.jpg`.
    ///
    /// Only that component is replaced, so a query stays; a fragment, which is never sent, goes. The result is
    /// relative to the base where `image_url` is; `nil` where there is none.
    public func fileURL(format: String) -> String? {
        guard let template else { return nil }
        let file = PercentEncoding.encode(format) + ".jpg"
        let address = template.prefix { $0 != "#" }
        let path = address.prefix { $0 != "?" }
        let query = address[path.endIndex...]
        let pathStart = Self.pathStart(of: path)
        guard let slash = path[pathStart...].lastIndex(of: "/") else {
            // An absolute address without any path lacks even the slash.
            return pathStart == path.startIndex ? file + query : "\(path)/\(file)\(query)"
        }
        return "\(path[...slash])\(file)\(query)"
    }

    /// Behind scheme and authority, if there are any.
    private static func pathStart(of address: Substring) -> Substring.Index {
        if address.hasPrefix("//") { return authorityEnd(address.dropFirst(2)) }
        guard let colon = address.firstIndex(of: ":"), !address[..<colon].contains("/"),
            address[colon...].hasPrefix("://")
        else { return address.startIndex }
        return authorityEnd(address[colon...].dropFirst(3))
    }

    private static func authorityEnd(_ rest: Substring) -> Substring.Index {
        rest.firstIndex(of: "/") ?? rest.endIndex
    }
}
