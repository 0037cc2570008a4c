/// Who the mirror is logged in as.
public struct User: Payload {
    public static let kind = "user"
    public static let columns = Column.list(
        """
        name type email
        """)

    public let id: String
    public let json: JSONObject

    public let name: String?
    public let type: String?
    public let email: String?

    public init(_ json: JSONObject, warnings: inout [FieldWarning]) throws(PayloadError) {
        var read = try FieldReader(json, kind: Self.kind)
        id = read.id
        self.json = json
        name = read.text("name")
        type = read.text("type")
        email = read.text("email")
        warnings += read.warnings
    }

    public var values: [FieldValue] {
        [
            .init(name), .init(type), .init(email),
        ]
    }
}
