/// The size that an address of IIIF's image interface asks for: `{image}/full/{size}/0/default.jpg`.
struct IIIFSize: Equatable {
    /// The longest side in pixels; `nil` for the picture as it is.
    let pixels: Int?

    /// Reads the last four segments of an address; `nil` for anything but a complete picture, upright, as a JPEG.
    init?(_ segments: some Collection<String>) {
        let segments = Array(segments)
        guard segments.count == 4, segments[0] == "full", segments[2] == "0", segments[3] == "default.jpg"
        else { return nil }
        if segments[1] == "full" || segments[1] == "max" {
            pixels = nil
            return
        }
        // `843,`, `,843`, `843,600`, `!843,843`, and `!843,` as SMK writes it.
        let size = segments[1].first == "!" ? segments[1].dropFirst() : segments[1][...]
        let sides = size.split(separator: ",", omittingEmptySubsequences: false)
        guard sides.count == 2, let longest = sides.compactMap({ Int($0) }).max(), longest > 0,
            sides.allSatisfy({ $0.isEmpty || Int($0) != nil })
        else { return nil }
        pixels = longest
    }

    /// The format in which the picture is drawn.
    var format: String { pixels.map { $0 <= 400 } == true ? "medium" : "larger" }
}
