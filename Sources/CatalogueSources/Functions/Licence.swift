/// Recognises licences that leave a work free of conditions.
enum Licence {
    /// Whether a text is an address or a name of CC0 or of the Public Domain Mark, in any known spelling.
    ///
    /// All else is not free, also what is unknown: `CC BY 4.0`, `No known copyright`, `1`.
    static func isFree(_ licence: String) -> Bool {
        let text = licence.trimmed.lowercased()
        guard text.utf8.count <= 200 else { return false }
        return text.contains("/")
            ? isFreeAddress(text) : names.contains(text.filter { $0.isLetter || $0.isNumber })
    }

    private static func isFreeAddress(_ text: String) -> Bool {
        var rest = Substring(text)
        for scheme in ["https:", "http:", "//", "www."] where rest.hasPrefix(scheme) {
            rest = rest.dropFirst(scheme.count)
        }
        let path = rest.prefix { $0 != "?" && $0 != "#" }.split(
            separator: "/", omittingEmptySubsequences: true)
        return addresses.contains { address in
            let start = address.split(separator: "/")
            return path.count >= start.count && zip(path, start).allSatisfy { $0 == $1 }
        }
    }

    /// The beginnings of addresses; more may follow, such as a version, a language, or `deed.en`.
    private static let addresses = [
        "creativecommons.org/publicdomain/zero", "creativecommons.org/publicdomain/mark",
        "creativecommons.org/public-domain/cc0", "creativecommons.org/public-domain/pdm",
        "creativecommons.org/share-your-work/public-domain/cc0",
        "creativecommons.org/share-your-work/public-domain/pdm", "creativecommons.org/licenses/publicdomain",
        "creativecommons.org/licenses/cc0", "creativecommons.org/licenses/zero", "creativecommons.org/cc0",
        "spdx.org/licenses/cc0-1.0", "spdx.org/licenses/cc0-1.0.html", "opendefinition.org/licenses/cc-zero",
    ]

    /// Letters and digits alone.
    private static let names: Set<String> = [
        "cc0", "cc010", "cc0license", "cc0licence", "cczero", "cczero10", "cc010universal",
        "creativecommonszero",
        "creativecommonszero10", "creativecommonszerov10universal", "creativecommonscc0",
        "creativecommonscc010universal", "cc010universalpublicdomaindedication", "cc0publicdomaindedication",
        "publicdomain", "publicdomainmark", "publicdomainmark10", "ccpdm", "ccpdm10", "pdm", "pdm10", "pd",
        "ccpd",
        "creativecommonspublicdomainmark", "creativecommonspublicdomainmark10",
    ]
}

/// Reads addresses of the IIIF Image API.
enum ImageService {
    /// The base of a IIIF image, without a trailing slash, from the address of its information, of a picture, or from the base
    /// itself; `nil` if it isn't an address.
    ///
    /// ```
    /// https://x.org/iiif/a%2Fb/full/!100,100/0/default.jpg      https://x.org/iiif/a%2Fb
    /// https://x.org/iiif/a/info.json                            https://x.org/iiif/a
    /// https://x.org/iiif/a.tif/                                 https://x.org/iiif/a.tif
    /// ```
    static func base(of address: String) -> String? {
        let text = address.trimmed, lower = text.lowercased()
        guard lower.hasPrefix("https://") || lower.hasPrefix("http://") else { return nil }
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            return nil
        }
        var parts = text.prefix { $0 != "?" && $0 != "#" }.split(
            separator: "/", omittingEmptySubsequences: false)
        while parts.last == "" { parts.removeLast() }
        // Scheme, nothing, host, and at least one part of a path.
        if parts.count > 4, parts.last?.lowercased() == "info.json" {
            parts.removeLast()
        } else if parts.count > 7, isPicture(parts.suffix(4).map { $0.lowercased() }) {
            parts.removeLast(4)
        }
        guard parts.count > 3, !parts[2].isEmpty else { return nil }
        return parts.joined(separator: "/")
    }

    /// Whether these are region, size, rotation, and quality with format.
    private static func isPicture(_ parts: [String]) -> Bool {
        let quality = parts[3].split(separator: ".")
        return quality.count == 2 && ["default", "native", "color", "gray", "bitonal"].contains(quality[0])
            && !parts[2].isEmpty && parts[2].allSatisfy { $0 == "!" || $0 == "." || $0.isNumber }
    }
}
