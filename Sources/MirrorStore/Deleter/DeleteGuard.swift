/// Decides whether a sweep may happen: too much at once is more likely a server's mistake than its wish.
public struct DeleteGuard: Sendable, Hashable {
    /// How much may go at once.
    public enum Limit: Sendable, Hashable {
        /// Of each kind, in percent of what the mirror holds; counts only beyond 10 objects.
        case percent(Double)
        /// In all, whatever the kind. Says how many a person expects, so it also lets a kind go empty.
        case total(Int)

        public static let standard = Limit.percent(20)

        /// Reads `20%` or `150`; `nil` for anything else.
        public init?(_ text: String) {
            if text.hasSuffix("%"), let percent = Double(text.dropLast()), percent >= 0, percent <= 100 {
                self = .percent(percent)
            } else if let total = Int(text), total >= 0 {
                self = .total(total)
            } else {
                return nil
            }
        }
    }

    /// What a sweep would do to one kind.
    public struct Intent: Sendable, Hashable {
        public let kind: ObjectKind
        /// Objects that the mirror holds.
        public let held: Int
        /// Objects that the server's list names.
        public let listed: Int
        /// Objects that would go.
        public let deletions: Int

        public init(kind: ObjectKind, held: Int, listed: Int, deletions: Int) {
            self.kind = kind
            self.held = held
            self.listed = listed
            self.deletions = deletions
        }
    }

    public let limit: Limit

    public init(_ limit: Limit = .standard) { self.limit = limit }

    /// The intents that stop the sweep; empty when it may happen.
    public func objections(to intents: [Intent]) -> [Intent] {
        switch limit {
        case .total(let total):
            let all = intents.reduce(0) { $0 + $1.deletions }
            return all > total ? intents.filter { $0.deletions > 0 } : []
        case .percent(let percent):
            return intents.filter { intent in
                guard intent.deletions > 0 else { return false }
                // Documents have a list under each show and artist: that those few are empty by now is nothing odd.
                let isMany = intent.deletions > 10
                if intent.listed == 0 && (intent.kind != .document || isMany) { return true }
                return isMany && Double(intent.deletions) > Double(intent.held) * percent / 100
            }
        }
    }
}
