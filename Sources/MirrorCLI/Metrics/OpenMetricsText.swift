/// Metrics as OpenMetrics 1.0 text, which Prometheus and its kin read.
///
/// Families come in the order in which they were added, each with all of its samples; the text ends with `# EOF`.
struct OpenMetricsText {
    enum Kind: String {
        case gauge
        /// Its samples' names end in `_total`.
        case counter
        /// One sample a state, 1 for the one that is.
        case stateset
    }

    private(set) var text = ""

    /// Adds a family, unless it has no samples.
    ///
    /// - Parameters:
    ///   - name: without `_total`; with the unit at its end where it has one.
    ///   - unit: as OpenMetrics names it: `seconds`, `bytes`.
    mutating func add(
        _ name: String, _ kind: Kind, unit: String? = nil, help: String, _ samples: [Sample]
    ) {
        guard !samples.isEmpty else { return }
        text += "# TYPE \(name) \(kind.rawValue)\n"
        if let unit { text += "# UNIT \(name) \(unit)\n" }
        text += "# HELP \(name) \(Self.escaped(help))\n"
        for sample in samples {
            let suffix = kind == .counter ? "_total" : ""
            text += "\(name)\(suffix)\(Self.labels(sample.labels)) \(Self.number(sample.value))\n"
        }
    }

    var whole: String { text + "# EOF\n" }

    struct Sample {
        let labels: [(name: String, value: String)]
        let value: Double

        init(_ labels: [(name: String, value: String)], _ value: Double) {
            self.labels = labels
            self.value = value
        }
    }

    private static func labels(_ labels: [(name: String, value: String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{\(labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ","))}"
    }

    /// Backslash, quote and line feed, as the format asks; control characters are told as what they are.
    private static func escaped(_ text: String) -> String {
        text.printable.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    /// Whole numbers without a fraction: counters stay exact.
    private static func number(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? "\(value)"
    }
}
