/// A file that belongs to a show or an artist, without its bytes.
public struct Document: Payload {
    public static let kind = "document"
    public static let columns = Column.list(
        """
        title filename size:INTEGER uri
        """)

    public let id: String
    public let json: JSONObject

    public let title: String?
    public let filename: String?
    public let size: Int?
    public let uri: String?

    public init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError) {
        var read = try FieldReader(json, kind: Self.kind)
        id = read.id
        self.json = json
        title = read.text("title")
        filename = read.text("filename")
        size = read.integer("size")
        uri = read.text("uri")
        warnings += read.warnings
    }

    public var values: [FieldValue] {
        [
            .init(title), .init(filename), .init(size), .init(uri),
        ]
    }
}
