import Catalogue

/// Decides whether a sweep may happen: too much at once is more likely a server's mistake than its wish.
public struct DeleteGuard: Sendable, Hashable {
    /// How much may go at once.
    public enum Limit: Sendable, Hashable {
        /// Of each kind, and of the members of lists under a kind, in percent of what the mirror has; counts only beyond
        /// 10 of them.
        case percent(Double)
        /// In all, objects and members of lists alike. Says how many a person expects, so it also lets a kind go empty.
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

    /// What the lists under objects of a kind name, where that is counted apart from the objects.
    public enum Members: Sendable, Hashable {
        /// The artworks of shows, albums or locations: rows of the table that joins them.
        case artworks
        /// The installation shots of shows.
        case installationShots
    }

    /// What a sweep would do to the objects of one kind, or to the members of the lists under them.
    public struct Intent: Sendable, Hashable {
        public let kind: Kind
        /// `nil` for the objects themselves.
        public let members: Members?
        /// How many the mirror has.
        public let held: Int
        /// How many the server's lists name.
        public let listed: Int
        /// How many would go.
        public let deletions: Int

        public init(kind: Kind, members: Members? = nil, held: Int, listed: Int, deletions: Int) {
            self.kind = kind
            self.members = members
            self.held = held
            self.listed = listed
            self.deletions = deletions
        }

        /// Whether the partner's own list of a kind names nothing. Lists under objects may well be empty, each by itself.
        public var isEmptyList: Bool { listed == 0 && members == nil && kind != .document }

        /// What it is of, as JSON and the log name it: `artwork`, `show_artwork`, `installation_shot`.
        public var name: String {
            switch members {
            case nil: kind.name
            case .artworks: "\(kind.name)_artwork"
            case .installationShots: "installation_shot"
            }
        }

        /// The same for people, in the plural.
        public var noun: String {
            switch members {
            case nil: kind.plural
            case .artworks: "artworks in \(kind.plural)"
            case .installationShots: "installation shots"
            }
        }
    }

    /// As many at once are what a museum does in a day: up to these, no share counts.
    package static let few = 10

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
                if intent.isEmptyList { return true }
                return intent.deletions > Self.few
                    && Double(intent.deletions) > Double(intent.held) * percent / 100
            }
        }
    }
}
