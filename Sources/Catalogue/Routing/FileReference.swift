/// The addresses of files that a mirror writes into the bodies it serves: relative to the base, without a leading slash.
public enum FileReference {
    /// A picture of an artwork: `artwork/{a}/image/{i}/larger.jpg`.
    public static func picture(artwork: String, image: String, format: String = ImageEntry.defaultFormat)
        -> String
    {
        picture(in: "artwork", artwork, image, format)
    }

    /// A cover or installation shot: `show/{s}/image/{i}/larger.jpg`.
    public static func picture(show: String, image: String, format: String = ImageEntry.defaultFormat)
        -> String
    {
        picture(in: "show", show, image, format)
    }

    /// The base address of a picture's tiles, beside the picture's file: `artwork/{a}/image/{i}/tiles`.
    package static func tiles(beside picture: String) -> String {
        "\(picture[..<(picture.lastIndex(of: "/") ?? picture.startIndex)])/\(tiles)"
    }
    package static let tiles = "tiles"

    /// A document: `partner/{p}/show/{s}/document/{d}/file/{filename}`, or with `artist/{a}` for `show/{s}`.
    ///
    /// - Parameter filename: the last segment; `file` if it is `nil` or blank.
    public static func document(partner: String, owner: Owner, id: String, filename: String?)
        -> String
    {
        let file = filename.map { $0.isBlank ? "file" : $0 } ?? "file"
        let place = "\(owner.kind.name)/\(encode(owner.id))/document/\(encode(id))"
        return "partner/\(encode(partner))/\(place)/file/\(encode(file))"
    }

    private static func picture(in place: String, _ owner: String, _ image: String, _ format: String)
        -> String
    {
        "\(place)/\(encode(owner))/image/\(encode(image))/\(encode(format)).jpg"
    }

    private static func encode(_ text: String) -> String { PercentEncoding.encode(text) }
}
