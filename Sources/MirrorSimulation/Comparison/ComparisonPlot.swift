import Foundation

/// A comparison as a picture: seconds over artworks, both axes logarithmic, a line for each thing that was measured.
///
/// Colours come from a style sheet, which follows a page's light or dark background.
package struct ComparisonPlot {
    package let svg: String

    private static let width = 960.0, left = 70.0, top = 46.0, plot = 520.0, legendRow = 19.0
    /// Tell apart on white as on black.
    private static let colours = [
        "#2a78d6", "#d9622b", "#2f9e62", "#a857c9", "#c4334b", "#8a7a1f", "#1f98a8", "#7d7d7d",
    ]
    private static let dashes = ["none", "7 4", "2 4"]

    package init(_ comparison: Comparison) {
        let all = comparison.measurements.filter { $0.seconds > 0 && $0.artworks > 0 }
        var names: [String] = []
        for one in all where !names.contains(Self.name(one)) { names.append(Self.name(one)) }
        let height = max(340, Double(names.count) * Self.legendRow + 20)
        let across = LogAxis(all.map { Double($0.artworks) }, from: Self.left, to: Self.left + Self.plot)
        let up = LogAxis(all.map(\.seconds), from: Self.top + height, to: Self.top)
        var parts = Self.grid(across, up)
        for (number, name) in names.enumerated() {
            let points = all.filter { Self.name($0) == name }.sorted { $0.artworks < $1.artworks }
                .map { (across.place(Double($0.artworks)), up.place($0.seconds)) }
            parts += Self.series(points, name: name, number: number)
        }
        let whole = Self.text(height + Self.top + 44)
        svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.text(Self.width)) \(whole)" \
            font-family="system-ui, sans-serif" font-size="12" role="img">
            <title>Seconds over artworks</title>
            <style>text{fill:#222}.grid{stroke:#888;stroke-opacity:.4}\
            @media(prefers-color-scheme:dark){text{fill:#ddd}}</style>
            <text x="\(Self.text(Self.left))" y="22" font-size="14" font-weight="600">Time in seconds by number of \
            artworks (both logarithmic)</text>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    private static func name(_ one: Measured) -> String {
        one.server == .nginx ? "\(one.what), from nginx" : one.what
    }

    private static func grid(_ across: LogAxis, _ up: LogAxis) -> [String] {
        across.ticks.map { tick in
            let x = text(across.place(tick))
            return """
                <path class="grid" d="M\(x) \(text(up.start))V\(text(up.end))"/>\
                <text x="\(x)" y="\(text(up.start + 18))" text-anchor="middle">\(ComparisonTable.count(Int(tick)))</text>
                """
        }
            + up.ticks.map { tick in
                let y = text(up.place(tick)), label = tick < 1 ? "\(tick)" : ComparisonTable.count(Int(tick))
                return """
                    <path class="grid" d="M\(text(across.start)) \(y)H\(text(across.end))"/>\
                    <text x="\(text(left - 8))" y="\(y)" dy="4" text-anchor="end">\(label) s</text>
                    """
            }
    }

    private static func series(_ points: [(Double, Double)], name: String, number: Int) -> [String] {
        let colour = colours[number % colours.count]
        let dash = dashes[number / colours.count % dashes.count]
        let line = "fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\" stroke-dasharray=\"\(dash)\""
        let path = points.map { "\(text($0.0)) \(text($0.1))" }.joined(separator: "L")
        let y = top + 8 + Double(number) * legendRow, x = left + plot + 24
        return ["<path \(line) d=\"M\(path)\"/>"]
            + points.map {
                "<circle cx=\"\(text($0.0))\" cy=\"\(text($0.1))\" r=\"3.5\" fill=\"\(colour)\"/>"
            }
            + [
                "<path \(line) d=\"M\(text(x)) \(text(y))h26\"/>",
                "<text x=\"\(text(x + 34))\" y=\"\(text(y))\" dy=\"4\">\(escaped(name))</text>",
            ]
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private static func text(_ number: Double) -> String { ComparisonTable.decimals(number, 1) }
}

/// Whole powers of ten from below the least to above the greatest, laid out between two places.
struct LogAxis {
    let start: Double, end: Double
    let ticks: [Double]

    init(_ numbers: [Double], from start: Double, to end: Double) {
        self.start = start
        self.end = end
        let low = numbers.min().map { log10($0).rounded(.down) } ?? 0
        let high = max(low + 1, numbers.max().map { log10($0).rounded(.up) } ?? 1)
        ticks = (Int(low)...Int(high)).map { pow(10, Double($0)) }
    }

    func place(_ number: Double) -> Double {
        guard let first = ticks.first, let last = ticks.last else { return start }
        return start + (end - start) * (log10(number) - log10(first)) / (log10(last) - log10(first))
    }
}
