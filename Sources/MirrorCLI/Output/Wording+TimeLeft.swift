import Foundation

extension Wording {
    /// `about 40 s left (30 s to 1 min)`; without the range where that says no more.
    static func left(_ range: TimeLeft.Range, hasRange: Bool = true) -> String {
        let about = coarse(range.seconds), low = coarse(range.low), high = coarse(range.high)
        let text = "about \(whole(about)) left"
        return hasRange && low < high ? "\(text) (\(whole(low)) to \(whole(high)))" : text
    }

    private static func whole(_ seconds: Double) -> String {
        seconds < 60 ? "\(Int(seconds)) s" : duration(seconds)
    }

    /// No finer than an estimate is, so that it doesn't flicker: 7 s, 40 s, 1 min 30 s, 12 min, 2 h 5 min.
    static func coarse(_ seconds: Double) -> Double {
        let grain: Double =
            switch seconds {
            case ..<9.5: 1
            case ..<57.5: 5
            case ..<115: 10
            case ..<585: 30
            case ..<3_600: 60
            default: 300
            }
        return max(1, (seconds / grain).rounded() * grain)
    }
}
