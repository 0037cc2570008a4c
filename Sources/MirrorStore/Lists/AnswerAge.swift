/// Whether an answer was made before another, by the server's own dates: a pure decision. All in seconds since 1970.
///
/// | stored date | an earlier answer |
/// |---|---|
/// | at most a week ahead of the own clock | is older: something on the way kept it |
/// | further ahead | is taken: the server's clock was wrong once, and nothing would be newer for years |
package enum AnswerAge {
    /// More than clocks and time zones differ by mistake, and no more than a mirror may stand still for.
    static let tolerance: Double = 7 * 86_400

    /// - Parameters:
    ///   - new: when the answer was made; `nil` if the server didn't say.
    ///   - stored: when the answer was made that was last applied.
    ///   - now: the own clock.
    package static func isOlder(_ new: Double?, than stored: Double?, now: @autoclosure () -> Double) -> Bool
    {
        guard let new, let stored, new < stored else { return false }
        return stored <= now() + tolerance
    }
}
