extension ImageEntry {
    /// The known formats from the smallest to the largest.
    public static let formats = ["square", "medium", "larger", "normalized"]
    /// The format that is kept unless others are asked for.
    public static let defaultFormat = "larger"

    /// The formats that the server offers; empty where it doesn't say, or where nothing is processed yet.
    public var offeredFormats: [String] { imageVersions ?? [] }

    /// Whether the server still works on the picture: it names its formats, and `normalized` is not among them.
    ///
    /// Such a picture is kept, what there is of it is fetched, and the rest is asked for another time.
    public var isProcessing: Bool {
        guard let imageVersions else { return false }
        return !imageVersions.contains("normalized")
    }

    /// Where its files are.
    package var address: ImageAddress { ImageAddress(template: imageURL, versions: imageVersions) }

    /// The `aspect_ratio` that the server states, else original height by original width, as the API defines it.
    public var aspectRatio: Double? {
        if let statedAspectRatio { return statedAspectRatio }
        guard let originalHeight, let originalWidth, originalWidth > 0, originalHeight > 0 else { return nil }
        return Double(originalHeight) / Double(originalWidth)
    }

    /// What to digest to learn whether anything about the picture changed: its canonical JSON.
    public var entryDigestInput: [UInt8] { json.canonicalBytes }
}
