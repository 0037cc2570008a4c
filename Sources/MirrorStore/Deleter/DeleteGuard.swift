import Catalogue

/// Decides whether a sweep may delete: many deletions at once are more likely a server's mistake than intended.
public struct DeleteGuard: Sendable, Hashable {
    /// The number of deletions that a run may make.
    public enum Limit: Sendable, Hashable {
        /// A percentage (0 to 100) of the stored objects of each kind, and of the members of lists under each kind. Up to 10
        /// deletions of each are always allowed.
        case percent(Double)
        /// A total of objects and members. Because the user expects this number, a kind may also become empty.
        case total(Int)

        /// The default: 20 %.
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

    /// Members of lists under objects, which are counted separately from the objects.
    public enum Members: Sendable, Hashable {
        /// The artworks of shows, albums or locations: rows of the join table.
        case artworks
        /// The installation shots of shows.
        case installationShots
    }

    /// The deletions that a sweep would make of one kind, or of the members of lists under objects of this kind.
    public struct Intent: Sendable, Hashable {
        /// The kind of the objects or, for members, of their owners.
        public let kind: Kind
        /// The members that would be deleted; `nil` for the objects themselves.
        public let members: Members?
        /// The number that the mirror has.
        public let held: Int
        /// The number in the server's lists.
        public let listed: Int
        /// The number that would be deleted.
        public let deletions: Int

        /// Creates an intent.
        public init(kind: Kind, members: Members? = nil, held: Int, listed: Int, deletions: Int) {
            self.kind = kind
            self.members = members
            self.held = held
            self.listed = listed
            self.deletions = deletions
        }

        /// Whether the partner's own list of a kind is empty. Lists under objects may be empty, so they don't count.
        public var isEmptyList: Bool { listed == 0 && members == nil && kind != .document }

        /// The name in JSON output and in the log: `artwork`, `show_artwork`, `installation_shot`.
        public var name: String {
            switch members {
            case nil: kind.name
            case .artworks: "\(kind.name)_artwork"
            case .installationShots: "installation_shot"
            }
        }

        /// The name in messages, in the plural: `artworks`, `artworks in shows`, `installation shots`.
        public var noun: String {
            switch members {
            case nil: kind.plural
            case .artworks: "artworks in \(kind.plural)"
            case .installationShots: "installation shots"
            }
        }
    }

    /// The number of deletions that a percentage always allows: about what a museum deletes in a day.
    package static let few = 10

    /// The limit that is applied.
    public let limit: Limit

    /// Creates a guard. Default: ``Limit/standard``.
    public init(_ limit: Limit = .standard) { self.limit = limit }

    /// The intents that stop the sweep; empty if it may delete everything.
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
