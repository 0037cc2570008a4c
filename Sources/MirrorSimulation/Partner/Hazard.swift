import Catalogue
import MirrorStore
import MirrorSync

/// What is wrong with a server, or with a clock, for the whole of one run, and right again after it.
enum Hazard: Sendable, Hashable {
    /// Some lists have an element without a usable id; which, where and what is drawn from the seed.
    case unusableElements(UInt64)
    /// The server's `Date`, or all of its clock, is ahead by that number of seconds.
    case serverClock(Double, isDateAlone: Bool)
    /// The local clock is ahead by that number of seconds.
    case localClock(Double)
    /// Every list under albums and shows names nothing.
    case emptyLists(Emptied)
    /// The partner's list of the kind at that place answers 500, and says that it is well.
    case failingList(FailingList)

    struct Emptied: Sendable, Hashable {
        /// Whether it is the server's catalogue that is so, with all that it says of versions and changes; or its answers
        /// alone.
        let isCatalogue: Bool
        let limit: Limit

        enum Limit: Sendable, Hashable { case usual, nothing, everything }
    }

    struct FailingList: Sendable, Hashable {
        private let place: Int
        /// Whether what changed since a date is asked for in vain, too.
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

    /// How often it is met is counted by that name.
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

    /// - Parameter isFilled: whether the catalogue was filled, so that lists that go empty are many.
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

    /// In some histories, in some of their runs.
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
    /// - Parameter isFirst: whether it is of the run in which there has to be a fault and a crash.
    fileprivate mutating func add(_ random: inout SplitMix, isFilled: Bool, isFirst: Bool) {
        guard random.chance(40) else { return }
        hazard = Hazard.drawn(&random, isFilled: isFilled)
        if random.chance(50), !isFirst { (faults, crash, concurrentActions) = (nil, nil, []) }
    }
}

extension WatchAction {
    /// A list that fails for ever fails from the start of a watch to its end, which is quiet otherwise: then the feed is followed.
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
    /// A server's clock is wrong once: while it is wrong again, what changed before that has dates from before those that it said.
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
