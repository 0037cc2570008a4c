/// A picture as its owner's JSON, or a list of pictures, has it; without its bytes.
public struct ImageEntry: Payload {
    public static let kind = "image"
    public static let columns = Column.list(
        """
        image_url image_versions:texts is_default:flag caption aspect_ratio:real original_width:integer
        original_height:integer max_tiled_width:integer max_tiled_height:integer tile_size:integer
        tile_base_url tile_format tile_overlap:integer
        """)
    /// The known formats from the smallest to the largest.
    public static let formats = ["square", "medium", "larger", "normalized"]
    /// The format that is stored unless others are requested.
    public static let defaultFormat = "larger"

    public let fields: FieldValues
    public let position: Int?

    /// Without an `aspect_ratio`, it is original height by original width, as the API defines it.
    public init(_ read: inout FieldReader) {
        if case .null = read.fields.values[Self.ratio],
            case .integer(let width) = read.fields.values[Self.width], width > 0,
            case .integer(let height) = read.fields.values[Self.height], height > 0
        {
            read.fields.values[Self.ratio] = .real(Double(height) / Double(width))
        }
        fields = read.fields
        position = read.integer("position")
    }

    /// The places of columns: pictures are what there is most of.
    private static let (ratio, width, height) = (
        place(of: "aspect_ratio"), place(of: "original_width"), place(of: "original_height")
    )

    private static func place(of column: String) -> Int { columns.prefix { $0.name != column }.count }

    public var imageURL: String? { text("image_url") }
    public var caption: String? { text("caption") }
    /// The height divided by the width.
    public var aspectRatio: Double? { real("aspect_ratio") }
    public var originalWidth: Int? { integer("original_width") }
    public var originalHeight: Int? { integer("original_height") }

    /// The formats that the server offers; `nil` where it doesn't say, empty where nothing is processed yet.
    public var imageVersions: [String]? {
        json["image_versions"]?.arrayValue?.compactMap(\.stringValue).filter { !$0.isBlank }
    }

    /// Where its files are.
    package var address: ImageAddress { ImageAddress(template: imageURL, versions: imageVersions) }

    /// Its deep-zoom tiles; `nil` if it has none.
    package var tiles: TilePyramid? {
        TilePyramid(
            base: text("tile_base_url"), width: integer("max_tiled_width"),
            height: integer("max_tiled_height"), size: integer("tile_size"),
            overlap: integer("tile_overlap"), format: text("tile_format"))
    }

    /// Whether it tells of tiles in fields that make no ``tiles``.
    package var hasUnusableTiles: Bool {
        TilePyramid.isUnusable(
            base: text("tile_base_url"), width: integer("max_tiled_width"),
            height: integer("max_tiled_height"), size: integer("tile_size"))
    }
}

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
        guard let wanted else {
            let offered = versions ?? [ImageEntry.defaultFormat]
            if offered.contains(ImageEntry.defaultFormat) { return [ImageEntry.defaultFormat] }
            // Of formats that we don't know, none is known to be large.
            return [offered.max { Self.rank($0) < Self.rank($1) }].compactMap(\.self)
        }
        var chosen: [String] = []
        for format in wanted where !chosen.contains(format) {
            if versions?.contains(format) ?? true { chosen.append(format) }
        }
        return chosen
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
        guard let slashes = address.firstRange(of: "//") else { return address.startIndex }
        let scheme = address[..<slashes.lowerBound]
        guard scheme.isEmpty || scheme.firstIndex(of: ":") == scheme.indices.last && !scheme.contains("/")
        else {
            return address.startIndex
        }
        return address[slashes.upperBound...].firstIndex(of: "/") ?? address.endIndex
    }
}
