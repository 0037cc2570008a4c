import MirrorSync

// Histories of a museum and its mirror: the server has a described catalogue in one of the list forms.
//
// - `MuseumPlan` is drawn from a seed, as a part of `HistoryPlan`; `MuseumRunner` runs it.
// - The server is an `ImitatedMuseum` behind a `MuseumServer`, which fails, is edited between two requests, and records in a
//   `MuseumLog` what was requested and answered.
// - The mirror is a `MuseumMirror`: the real sync of the description, on the disk and the clock of all histories.
// - `ExpectedMuseum` is what the mirror must have; `RemovalCheck`, `BudgetCheck` and `MuseumRefetchCheck` check each run.

/// The actions of a history of a museum, drawn from its seed before it begins.
struct MuseumPlan: Sendable, Hashable {
    let museum: ImitatedMuseum.Name
    var actions: [MuseumAction] = []

    init(_ random: inout SplitMix) {
        museum = random.element(of: ImitatedMuseum.Name.allCases) ?? .met
        for _ in 0..<(3 + random.below(5)) {
            if random.chance(12) { actions.append(.dryRun) }
            actions.append(.sync(MuseumSync(museum, &random)))
            for _ in 0..<random.below(5) {
                actions += [.edit(random.next()), .wait(Double(1 + random.below(4_000)))]
            }
            actions.append(.wait(Self.pause(&random)))
        }
        requireCrash(&random)
    }

    /// The seconds between two syncs: minutes to a week.
    private static func pause(_ random: inout SplitMix) -> Double {
        random.one(of: 60.0, 7_200, 50_000, 90_000, 90_000, 180_000, 600_000) * (0.5 + random.unit())
    }

    /// Adds a crash to one of the first two syncs, if they have none.
    private mutating func requireCrash(_ random: inout SplitMix) {
        let syncs = actions.indices.filter { actions[$0].sync != nil }.prefix(2)
        guard !syncs.contains(where: { actions[$0].sync?.crash != nil }),
            let index = random.element(of: Array(syncs)), var sync = actions[index].sync
        else { return }
        sync.crash = HistoryPlan.crash(&random)
        actions[index] = .sync(sync)
    }
}

/// One action of a history of a museum. All that it needs is drawn in advance, so that any action can be left out.
enum MuseumAction: Sendable, Hashable {
    /// The museum changes its catalogue; the change is drawn from the seed.
    case edit(UInt64)
    /// Time passes, in seconds.
    case wait(Double)
    case sync(MuseumSync)
    case dryRun

    var sync: MuseumSync? { if case .sync(let sync) = self { sync } else { nil } }
}

/// One sync of a museum, with its options and disturbances.
struct MuseumSync: Sendable, Hashable {
    /// Which part of the catalogue is selected.
    enum Selection: Sendable, Hashable {
        /// The remembered one.
        case remembered
        case whole
        /// The department with this number in ``MuseumEdit/departments``.
        case department(Int)
    }

    struct ConcurrentEdit: Sendable, Hashable {
        /// The number of the request before which the museum changes its catalogue.
        let request: Int
        let seed: UInt64
    }

    /// What is wrong at the museum, by the rules of ``ImitationFault``.
    var faults: Set<ImitationFault> = []
    /// The seed of failures that any server has; `nil` for none.
    var failures: UInt64?
    var edits: [ConcurrentEdit] = []
    var crash: Disturbances.Crash?
    var isFull = false
    /// Whether the delete guard allows every deletion, as the user has chosen.
    var disablesDeleteGuard = false
    /// Whether the description is named, although the mirror remembers it.
    var namesSource = true
    var selection = Selection.remembered

    init() {}

    init(_ museum: ImitatedMuseum.Name, _ random: inout SplitMix) {
        // This fault changes the ids, and so it belongs to the museum.
        let possible = museum.faults.filter { $0 != .spacesInNumbers }
        if random.chance(45) {
            for _ in 0..<(1 + random.below(2)) {
                if let fault = random.element(of: possible) { faults.insert(fault) }
            }
        }
        if random.chance(25) { failures = random.next() }
        if random.chance(35) {
            for _ in 0..<(1 + random.below(3)) {
                edits.append(ConcurrentEdit(request: 1 + random.below(40), seed: random.next()))
            }
        }
        if random.chance(25) { crash = HistoryPlan.crash(&random) }
        isFull = random.chance(8)
        disablesDeleteGuard = random.chance(30)
        namesSource = random.chance(50)
        if museum.selectsDepartments, random.chance(15) {
            selection = random.chance(40) ? .whole : .department(random.below(MuseumEdit.departments.count))
        }
    }
}

extension MuseumPlan {
    /// Plans from which something is left out, the largest parts first.
    func simplified() -> [MuseumPlan] {
        var found: [MuseumPlan] = [], size = (actions.count + 1) / 2
        func changed(_ change: (inout MuseumPlan) -> Void) -> MuseumPlan {
            var plan = self
            change(&plan)
            return plan
        }
        while size >= 1 {
            for start in stride(from: 0, to: actions.count, by: size) {
                found.append(
                    changed { $0.actions.removeSubrange(start..<min(start + size, $0.actions.count)) })
            }
            size /= 2
        }
        for (index, action) in actions.enumerated() {
            guard let sync = action.sync else { continue }
            found += sync.simplified().map { simpler in changed { $0.actions[index] = .sync(simpler) } }
        }
        return found
    }
}

extension MuseumSync {
    fileprivate func simplified() -> [MuseumSync] {
        var found: [MuseumSync] = []
        func add(_ change: (inout MuseumSync) -> Void) {
            var sync = self
            change(&sync)
            if sync != self { found.append(sync) }
        }
        for fault in faults.sorted(by: { $0.rawValue < $1.rawValue }) { add { $0.faults.remove(fault) } }
        add { $0.failures = nil }
        add { $0.crash = nil }
        add { $0.crash?.power = nil }
        for index in edits.indices { add { $0.edits.remove(at: index) } }
        add { $0.isFull = false }
        add { $0.disablesDeleteGuard = false }
        add { $0.selection = .remembered }
        return found
    }
}
