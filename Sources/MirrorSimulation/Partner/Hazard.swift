import Catalogue
import MirrorStore
import MirrorSync

/// A fault of a server or a clock that lasts for one whole run.
///
/// Transcripts contain its description: its cases and properties must keep their names.
enum Hazard: Sendable, Hashable {
    /// Some lists have an element without a usable id. The lists, positions and elements are drawn from the seed.
    case unusableElements(UInt64)
    /// The server's `Date`, or its whole clock, is ahead by that number of seconds.
    case serverClock(Double, isDateAlone: Bool)
    /// The mirror's clock is ahead by that number of seconds.
    case localClock(Double)
    /// Every list under albums and shows is empty.
    case emptyLists(Emptied)
    /// One of the partner's own lists answers 500, while `/status` answers 200.
    case failingList(FailingList)

    struct Emptied: Sendable, Hashable {
        /// Whether the lists are empty in the server's catalogue, and so also in its versions and changes; otherwise only
        /// the answers are empty.
        let isCatalogue: Bool
        let limit: Limit

        enum Limit: Sendable, Hashable { case usual, nothing, everything }
    }

    struct FailingList: Sendable, Hashable {
        private let place: Int
        /// Whether the list's `since` requests fail, too.
        let withChanges: Bool

        init(_ random: inout SplitMix) {
            place = random.below(Kinds.standard.listed.count)
            withChanges = random.chance(60)
        }

        var kind: Kind { Kinds.standard.listed[place] }

        func meets(_ url: String) -> Bool {
            url.prefix { $0 != "?" } == PartnerCatalogue.list(kind)[...]
                && (withChanges || !url.containsUTF8("since="))
        }
    }

    /// The name by which it is counted.
    var name: String {
        switch self {
        case .unusableElements: "unusable elements"
        case .serverClock: "server's clock ahead"
        case .localClock: "own clock ahead"
        case .emptyLists: "empty lists"
        case .failingList: "failing list"
        }
    }

    // MARK: - Drawing

    /// - Parameter isFilled: whether the catalogue was filled, so that many members disappear when lists become empty.
    static func drawn(_ random: inout SplitMix, isFilled: Bool) -> Hazard {
        let day = 86_400.0
        switch random.below(isFilled ? 6 : 4) {
        case 0: return .unusableElements(random.next())
        case 1:
            let days = random.one(of: 2.0, 2, 40, 400)
            return .serverClock(days * day, isDateAlone: random.chance(70))
        case 2: return .localClock(random.one(of: 2, 365, 365) * day)
        case 3: return .failingList(FailingList(&random))
        default:
            let limit = random.one(of: Emptied.Limit.usual, .usual, .nothing, .everything)
            return .emptyLists(Emptied(isCatalogue: random.chance(60), limit: limit))
        }
    }

    /// Adds hazards to some runs of some histories.
    static func add(to actions: inout [HistoryAction], _ random: inout SplitMix) {
        guard random.chance(60) else { return }
        let isFilled = random.chance(40)
        var isFirst = true
        for place in actions.indices {
            switch actions[place] {
            case .sync(var sync):
                sync.disturbances.add(&random, isFilled: isFilled, isFirst: isFirst)
                actions[place] = .sync(sync)
            case .watch(var watch):
                watch.add(&random, isFilled: isFilled, isFirst: isFirst)
                actions[place] = .watch(watch)
            default: continue
            }
            isFirst = false
        }
        if isFilled { actions.insert(.fill(random.next()), at: 0) }
        actions.keepOneWrongClock()
    }
}

extension Disturbances {
    /// - Parameter isFirst: whether this is the first run, which keeps its fault and its crash.
    fileprivate mutating func add(_ random: inout SplitMix, isFilled: Bool, isFirst: Bool) {
        guard random.chance(40) else { return }
        hazard = Hazard.drawn(&random, isFilled: isFilled)
        if random.chance(50), !isFirst { (faults, crash, concurrentActions) = (nil, nil, []) }
    }
}

extension WatchAction {
    /// A failing list may last for a whole watch, from its start to its end. Then nothing else goes wrong, so that the
    /// watch has to follow the feed.
    fileprivate mutating func add(_ random: inout SplitMix, isFilled: Bool, isFirst: Bool) {
        guard !random.chance(40) || isFirst else {
            start = Disturbances()
            start.hazard = .failingList(Hazard.FailingList(&random))
            let quiet = Round(before: [.wait(400)], disturbances: start)
            for place in rounds.indices { rounds[place].disturbances = start }
            rounds += Array(repeating: quiet, count: 8)
            return
        }
        start.add(&random, isFilled: isFilled, isFirst: isFirst)
        for place in rounds.indices {
            rounds[place].disturbances.add(&random, isFilled: isFilled, isFirst: isFirst)
        }
    }
}

extension [HistoryAction] {
    /// Keeps only the first wrong server clock of a history. During a second one, older changes would have earlier dates
    /// than those that the server has already sent.
    fileprivate mutating func keepOneWrongClock() {
        var isFirst = true
        func keep(_ disturbances: inout Disturbances) {
            guard case .serverClock? = disturbances.hazard else { return }
            if !isFirst { disturbances.hazard = nil }
            isFirst = false
        }
        for place in indices {
            switch self[place] {
            case .sync(var sync):
                keep(&sync.disturbances)
                self[place] = .sync(sync)
            case .watch(var watch):
                keep(&watch.start)
                for round in watch.rounds.indices { keep(&watch.rounds[round].disturbances) }
                self[place] = .watch(watch)
            default: break
            }
        }
    }
}
