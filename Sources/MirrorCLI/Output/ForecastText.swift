import MirrorSync

/// How good forecasts were, in a sentence: `the last 5 runs took 0.9 to 1.2 of the time foretold, bytes within 4 %`.
enum ForecastText {
    /// `nil` where nothing was foretold.
    static func line(_ scores: [ForecastScore]) -> String? {
        guard !scores.isEmpty else { return nil }
        var parts: [String] = []
        let times = scores.compactMap(\.seconds)
        if let least = times.min(), let most = times.max() {
            let (low, high) = (Wording.decimal(least), Wording.decimal(most))
            let range = low == high ? low : "\(low) to \(high)"
            parts.append("\(runs(times.count)) took \(range) of the time foretold")
        }
        let bytes = scores.compactMap(\.bytes)
        if let error = ForecastScore.largestError(bytes) {
            let whose = parts.isEmpty || bytes.count != times.count ? " of \(runs(bytes.count))" : ""
            parts.append("bytes\(whose) within \(Wording.count(Int(min(error * 100, 1e9).rounded(.up)))) %")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func runs(_ count: Int) -> String {
        count == 1 ? "the last run" : "the last \(count) runs"
    }
}
