/// A picture as its owner's JSON, or a list of pictures, has it; without its bytes.
public struct ImageEntry: Payload {
    public static let kind = "image"
    public static let columns = Column.list(
        """
        image_url image_versions is_default:INTEGER caption aspect_ratio:REAL original_width:INTEGER
        original_height:INTEGER max_tiled_width:INTEGER max_tiled_height:INTEGER tile_size:INTEGER
        tile_base_url tile_format tile_overlap:INTEGER
        """)

    public let id: String
    public let json: JSONObject

    public let imageURL: String?
    public let imageVersions: [String]?
    public let isDefault: Bool?
    public let position: Int?
    public let caption: String?
    /// The `aspect_ratio` that the server states; see ``aspectRatio``.
    public let statedAspectRatio: Double?
    public let originalWidth: Int?
    public let originalHeight: Int?
    public let maxTiledWidth: Int?
    public let maxTiledHeight: Int?
    public let tileSize: Int?
    public let tileBaseURL: String?
    public let tileFormat: String?
    public let tileOverlap: Int?

    public init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError) {
        var read = try FieldReader(json, kind: Self.kind)
        id = read.id
        self.json = json
        imageURL = read.text("image_url")
        imageVersions = read.texts("image_versions")
        isDefault = read.flag("is_default")
        position = read.integer("position")
        caption = read.text("caption")
        statedAspectRatio = read.real("aspect_ratio")
        originalWidth = read.integer("original_width")
        originalHeight = read.integer("original_height")
        maxTiledWidth = read.integer("max_tiled_width")
        maxTiledHeight = read.integer("max_tiled_height")
        tileSize = read.integer("tile_size")
        tileBaseURL = read.text("tile_base_url")
        tileFormat = read.text("tile_format")
        tileOverlap = read.integer("tile_overlap")
        warnings += read.warnings
    }

    public var values: [FieldValue] {
        [
            .init(imageURL), .init(json: imageVersions), .init(isDefault), .init(caption),
            .init(aspectRatio), .init(originalWidth), .init(originalHeight), .init(maxTiledWidth),
            .init(maxTiledHeight), .init(tileSize), .init(tileBaseURL), .init(tileFormat),
            .init(tileOverlap),
        ]
    }
}
