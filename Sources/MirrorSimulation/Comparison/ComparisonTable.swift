import Foundation

/// A comparison as a table of Markdown, padded so that a terminal shows it well, too.
package struct ComparisonTable {
    package let lines: [String]

    private static let heads = [
        "artworks", "what", "time", "CPU", "peak", "requests", "received", "to curl", "to cold",
    ]

    package init(_ comparison: Comparison) {
        let rows = comparison.measurements.map { one in
            [
                Self.count(one.artworks), one.server == .nginx ? "\(one.what), from nginx" : one.what,
                Self.seconds(one.seconds), Self.seconds(one.cpu), "\(Self.decimals(one.peak, 0)) MiB",
                one.requests.map(Self.count) ?? "", one.bytes.map(Self.bytes) ?? "",
                comparison.ratioToCurl(one).map(Self.ratio) ?? "",
                comparison.ratioToCold(one).map(Self.ratio) ?? "",
            ]
        }
        let all = [Self.heads] + rows
        let widths = Self.heads.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        let rule = widths.enumerated().map { column, width in
            String(repeating: "-", count: width) + (column == 1 ? "-" : ":")
        }
        lines =
            [Self.line(Self.heads, widths), "|" + rule.map { "-\($0)" }.joined(separator: "|") + "|"]
            + rows.map { Self.line($0, widths) }
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = cells.indices.map { column in
            let space = String(repeating: " ", count: max(0, widths[column] - cells[column].count))
            return column == 1 ? cells[column] + space : space + cells[column]
        }
        return "| " + padded.joined(separator: " | ") + " |"
    }

    /// Three figures, where there are so many: 0.062 s, 1.24 s, 123 s.
    static func seconds(_ seconds: Double) -> String {
        "\(decimals(seconds, seconds < 0.1 ? 3 : seconds < 10 ? 2 : seconds < 100 ? 1 : 0)) s"
    }

    static func ratio(_ ratio: Double) -> String {
        "\(decimals(ratio, ratio < 0.1 ? 3 : ratio < 10 ? 2 : 0)) ×"
    }

    /// Decimal units, as the command's own summary has them.
    static func bytes(_ bytes: Int) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var size = Double(bytes), unit = 0
        while size >= 1_000, unit + 1 < units.count {
            size /= 1_000
            unit += 1
        }
        return "\(decimals(size, unit == 0 || size >= 100 ? 0 : 1)) \(units[unit])"
    }

    static func count(_ number: Int) -> String {
        let digits = Array(String(number))
        var text = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    static func decimals(_ number: Double, _ count: Int) -> String { String(format: "%.\(count)f", number) }
}
