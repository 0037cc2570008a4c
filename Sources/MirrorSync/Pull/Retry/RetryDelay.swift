import Catalogue

/// How long the retry loop waits before it asks again for the server's status.
///
/// Two sequences, kept apart: a server that says it is in trouble is left in peace for longer than one that merely
/// doesn't answer as it should.
///
/// | wait | slow | fast |
/// |---|---|---|
/// | first | 60 s | 10 s |
/// | each next | × U(1.5, 2) | × U(1, 1.5) |
/// | longest | 15 min | 15 min |
package struct RetryDelay: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// After a status of 500.
        case slow
        /// After any other status but 200, and after none.
        case fast

        package var first: Duration {
            switch self {
            case .slow: .seconds(60)
            case .fast: .seconds(10)
            }
        }

        /// What a delay is multiplied by for the next one.
        package var growth: ClosedRange<Double> {
            switch self {
            case .slow: 1.5...2
            case .fast: 1...1.5
            }
        }
    }

    package static let longest: Duration = .seconds(900)

    private var last: [Kind: Duration] = [:]

    package init() {}

    /// The next delay of its sequence.
    ///
    /// - Parameter random: in `0..<1`.
    package mutating func next(_ kind: Kind, random: Double) -> Duration {
        let next = last[kind].map { min($0 * factor(kind, random), Self.longest) } ?? kind.first
        last[kind] = next
        return next
    }

    private func factor(_ kind: Kind, _ random: Double) -> Double {
        let range = kind.growth
        return range.lowerBound + (range.upperBound - range.lowerBound) * min(max(random, 0), 1)
    }
}
