/// The description of a picture in its owner's JSON or in a list of pictures, without the file.
public struct ImageEntry: Payload {
    /// The API's singular name.
    public static let kind = "image"
    /// The fields that have a column.
    public static let columns = Column.list(
        """
        image_url image_versions:texts is_default:flag caption aspect_ratio:real original_width:integer
        original_height:integer max_tiled_width:integer max_tiled_height:integer tile_size:integer
        tile_base_url tile_format tile_overlap:integer image_urls:addresses
        """)
    /// The known formats from the smallest to the largest.
    public static let formats = ["square", "medium", "larger", "normalized"]
    /// The format that is stored of every picture unless others are requested (``PictureFormats``).
    public static let defaultFormat = "larger"

    /// The id, the JSON, and the values of the columns.
    public let fields: FieldValues
    /// The position among the owner's pictures; `nil` if the server doesn't send it.
    public let position: Int?
    /// The addresses of the formats in `image_urls`, by format; empty if all addresses follow from ``imageURL``.
    public let imageURLs: [String: String]

    /// Reads a picture. A missing `aspect_ratio` is computed as original height by original width, as the API defines it.
    ///
    /// If `image_urls` has addresses, its formats are the only ones that the server offers, and replace `image_versions`.
    public init(_ read: inout FieldReader) {
        if case .null = read.fields.values[Self.aspect],
            case .integer(let width) = read.fields.values[Self.width], width > 0,
            case .integer(let height) = read.fields.values[Self.height], height > 0
        {
            read.fields.values[Self.aspect] = .real(Double(height) / Double(width))
        }
        imageURLs = ImageAddress.urls(read.fields.json["image_urls"])
        if !imageURLs.isEmpty {
            read.fields.values[Self.versions] = .text(
                JSONValue.canonicalText(of: ImageAddress.formats(of: imageURLs)))
        }
        fields = read.fields
        position = read.integer("position")
    }

    /// The part of the JSON on which the picture's files depend.
    ///
    /// Where the server states an address for each format, these are the addresses: another caption doesn't change the file
    /// behind an address. Otherwise it is the whole JSON, whose fields may say that the file changed.
    package var fileText: String {
        guard imageURLs.isEmpty || tiles != nil else {
            return JSONValue.object(JSONObject(imageURLs.map { ($0.key, .string($0.value)) })).canonicalText
        }
        // The file of a withdrawn picture stays.
        guard isWithdrawn else { return json.canonicalText }
        var json = json
        json[Self.withdrawn] = nil
        return json.canonicalText
    }

    /// The indices of columns, computed once because pictures are the most numerous payloads.
    private static let (aspect, width, height, versions, mark) = (
        place(of: "aspect_ratio"), place(of: "original_width"), place(of: "original_height"),
        place(of: "image_versions"), place(of: "is_default")
    )

    private static func place(of column: String) -> Int { columns.prefix { $0.name != column }.count }

    /// The field that marks a picture that its source no longer offers, and that the mirror keeps.
    package static let withdrawn = "withdrawn"

    /// Whether its source no longer offers the picture, and the mirror keeps it.
    package var isWithdrawn: Bool { json[Self.withdrawn] == .bool(true) }

    /// The address of one of the picture's formats, from which all others follow (``ImageAddress``).
    public var imageURL: String? { text("image_url") }
    /// Whether the server marks it as its owner's picture. Without a mark, the first picture is.
    public var isDefault: Bool { values[Self.mark] == .integer(1) }
    /// The caption.
    public var caption: String? { text("caption") }
    /// The height divided by the width.
    public var aspectRatio: Double? { real("aspect_ratio") }
    /// The width divided by the height; `nil` if the entry tells neither.
    package var ratio: Double? {
        Self.ratio(width: originalWidth, height: originalHeight, aspectRatio: aspectRatio)
    }

    /// The width divided by the height, from the sizes or else from `aspect_ratio`, which is the height divided by the width.
    package static func ratio(width: Int?, height: Int?, aspectRatio: Double?) -> Double? {
        if let width, let height, width > 0, height > 0 { return Double(width) / Double(height) }
        guard let aspectRatio, aspectRatio > 0, (1 / aspectRatio).isFinite else { return nil }
        return 1 / aspectRatio
    }

    /// In pixels.
    public var originalWidth: Int? { integer("original_width") }
    /// In pixels.
    public var originalHeight: Int? { integer("original_height") }

    /// The formats that the server offers; `nil` if it doesn't send them, empty while the picture is being processed.
    public var imageVersions: [String]? {
        guard imageURLs.isEmpty else { return ImageAddress.formats(of: imageURLs) }
        return json["image_versions"]?.arrayValue?.compactMap(\.stringValue).filter { !$0.isBlank }
    }

    /// The addresses of the picture's files.
    package var address: ImageAddress {
        ImageAddress(template: imageURL, versions: imageVersions, urls: imageURLs)
    }

    /// The picture's deep-zoom tiles; `nil` if it has none.
    package var tiles: TilePyramid? {
        TilePyramid(
            base: text("tile_base_url"), width: integer("max_tiled_width"),
            height: integer("max_tiled_height"), size: integer("tile_size"),
            overlap: integer("tile_overlap"), format: text("tile_format"))
    }

    /// Whether its tile fields are present and unusable, so that ``tiles`` is `nil`.
    package var hasUnusableTiles: Bool {
        TilePyramid.isUnusable(
            base: text("tile_base_url"), width: integer("max_tiled_width"),
            height: integer("max_tiled_height"), size: integer("tile_size"))
    }
}

/// The addresses of a picture's files: a template and the formats that the server offers, or an address for each format.
package struct ImageAddress: Sendable, Hashable {
    /// The address of one format's file. The last path component is replaced for other formats. `nil` if there is none.
    package let template: String?
    /// The formats that the server offers; `nil` if it doesn't send them.
    package let versions: [String]?
    /// The address of each offered format; empty if the addresses follow from the template.
    package let urls: [String: String]

    /// Creates the addresses.
    ///
    /// - Parameter urls: the address of each format. If there are any, template and versions are ignored. Default: none.
    package init(template: String?, versions: [String]?, urls: [String: String] = [:]) {
        self.template = template
        self.versions = urls.isEmpty ? versions : Self.formats(of: urls)
        self.urls = urls
    }

    /// The usable addresses in a picture's `image_urls`: those of known formats that are http or https URLs.
    ///
    /// Returns none if the value isn't an object.
    package static func urls(_ value: JSONValue?) -> [String: String] {
        guard case .object(let object)? = value else { return [:] }
        return ImageEntry.formats.reduce(into: [:]) { urls, format in
            if case .string(let url)? = object[format], isUsable(url) { urls[format] = url }
        }
    }

    /// The known formats that have an address, from the smallest to the largest.
    static func formats(of urls: [String: String]) -> [String] {
        ImageEntry.formats.filter { urls[$0] != nil }
    }

    /// Whether a text is an absolute http or https URL that can be requested: with a host, and without credentials, control
    /// characters and backslashes.
    static func isUsable(_ url: String) -> Bool {
        let lowercase = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lowercase.hasPrefix) else { return false }
        let authority = url.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
        guard let first = authority.first, first != UInt8(ascii: ":"),
            !authority.contains(UInt8(ascii: "@"))
        else { return false }
        return url.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
    }

    /// The address of a format's file: its own, or `image_url` with the last path component replaced by `{format}.jpg`.
    ///
    /// A query is kept; a fragment is removed, because it is never sent. The result is relative to the base if `image_url`
    /// is relative, and `nil` if there is no address.
    public func fileURL(format: String) -> String? {
        guard urls.isEmpty else { return urls[format].map { String($0.prefix { $0 != "#" }) } }
        guard let template else { return nil }
        let file = PercentEncoding.encode(format) + ".jpg"
        let address = template.prefix { $0 != "#" }
        let path = address.prefix { $0 != "?" }
        let query = address[path.endIndex...]
        let pathStart = Self.pathStart(of: path)
        guard let slash = path[pathStart...].lastIndex(of: "/") else {
            // An absolute address without a path has no slash.
            return pathStart == path.startIndex ? file + query : "\(path)/\(file)\(query)"
        }
        return "\(path[...slash])\(file)\(query)"
    }

    /// The index after scheme and authority, if there are any.
    private static func pathStart(of address: Substring) -> Substring.Index {
        guard let slashes = address.firstRange(of: "//") else { return address.startIndex }
        let scheme = address[..<slashes.lowerBound]
        guard scheme.isEmpty || scheme.firstIndex(of: ":") == scheme.indices.last && !scheme.contains("/")
        else {
            return address.startIndex
        }
        return address[slashes.upperBound...].firstIndex(of: "/") ?? address.endIndex
    }
}
