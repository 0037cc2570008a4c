import Catalogue
import MirrorSync
import Testing

@testable import MirrorSimulation

/// Random histories of a museum with a described catalogue and its mirror. `mirror-bench torture` runs any number of them.
@Suite("Random histories of a museum and its mirror", .serialized) struct MuseumHistoryTests {
    /// The first seeds whose histories are of a museum.
    private static func seeds(of museum: ImitatedMuseum.Name, _ count: Int) -> [UInt64] {
        var found: [UInt64] = [], seed: UInt64 = 1
        while found.count < count {
            if HistoryPlan(seed: seed, profile: .museum).museum?.museum == museum { found.append(seed) }
            seed += 1
        }
        return found
    }

    private static func run(
        _ seeds: [UInt64], _ bug: InjectedBug? = nil, _ ended: (History.Verdict) -> Bool
    ) async throws {
        let template = try MirrorTemplate(), workspace = HistoryWorkspace(template)
        // After an error, too.
        defer { try? template.remove() }
        for seed in seeds {
            var history = History(seed: seed, profile: .museum, keepsTranscript: true)
            history.injectedBug = bug
            guard try await ended(history.run(in: workspace)) else { break }
        }
        try workspace.close()
    }

    @Test(arguments: ImitatedMuseum.Name.allCases)
    func `Histories of each museum keep all invariants`(_ museum: ImitatedMuseum.Name) async throws {
        try await Self.run(Self.seeds(of: museum, 1)) { verdict in
            for violation in verdict.violations { Issue.record("seed \(verdict.seed): \(violation)") }
            #expect(verdict.counts.syncs > 3 && verdict.requests > 20, "seed \(verdict.seed)")
            #expect(verdict.counts.crashes > 0 && verdict.counts.faults > 0, "seed \(verdict.seed)")
            return true
        }
    }

    @Test func `The same seed gives the same history of a museum`() async throws {
        var fingerprints: [UInt64] = []
        try await Self.run([5, 5]) { verdict in
            fingerprints.append(verdict.fingerprint)
            return true
        }
        #expect(fingerprints.count == 2 && fingerprints[0] == fingerprints[1])
    }

    /// Which invariant a bug breaks, the first seed that is tried, and what the bug does. Each bug is found by a seed from 1 to
    /// 100; beginning with that seed saves most of the test's time.
    private static let bugs: [(Invariant, UInt64, String)] = [
        (
            .incompleteListsDeleteNothing, 1,
            """
            CREATE TRIGGER bug AFTER INSERT ON absence
            BEGIN UPDATE absence SET lists = 3, first_at = '2020-01-01T00:00:00Z' WHERE kind = new.kind AND id = new.id; END
            """
        ),
        (
            .budgetIsKept, 19,
            """
            CREATE TRIGGER bug AFTER UPDATE ON request_day
            BEGIN UPDATE request_day SET requests = 0 WHERE host = new.host AND day = new.day; END
            """
        ),
        (
            .mirrorEqualsServer, 2,
            """
            CREATE TRIGGER bug AFTER INSERT ON artwork WHEN new.id LIKE '%7'
            BEGIN UPDATE artwork SET json = json_set(json, '$.title', 'Another') WHERE id = new.id; END
            """
        ),
    ]

    @Test(arguments: bugs) func `A bug that is made on purpose is found`(
        _ invariant: Invariant, _ first: UInt64, _ sql: String
    ) async throws {
        var found = false
        try await Self.run(Array(first...(first + 99)), InjectedBug(sql: sql)) { verdict in
            found = verdict.violations.contains { $0.invariant == invariant }
            return !found
        }
        #expect(found)
    }

    @Test func `One history in four is of a museum, for processes that take every n-th seed, too`() {
        func museums(_ seeds: StrideTo<UInt64>) -> Int {
            seeds.count { HistoryProfile.ofTorture($0) == .museum }
        }
        #expect(museums(stride(from: 0, to: 300, by: 1)) == 75)
        for part: UInt64 in 0..<4 { #expect((15...22).contains(museums(stride(from: part, to: 300, by: 4)))) }
        for part: UInt64 in 0..<2 { #expect((35...40).contains(museums(stride(from: part, to: 300, by: 2)))) }
    }

    @Test(arguments: ImitatedMuseum.Name.allCases)
    func `Histories select departments at the museums that list them`(_ museum: ImitatedMuseum.Name) {
        let selections = Self.seeds(of: museum, 20).flatMap { seed in
            HistoryPlan(seed: seed, profile: .museum).museum?.actions.compactMap(\.sync?.selection) ?? []
        }
        let departments = selections.filter { if case .department = $0 { true } else { false } }
        #expect(departments.isEmpty != museum.selectsDepartments)
        #expect(selections.contains(.remembered))
    }

    @Test func `A plan becomes simpler until nothing is left`() throws {
        var plan = HistoryPlan(seed: 3, profile: .museum), tried = 0
        while let simpler = plan.simplified().first, tried < 1_000 {
            #expect(simpler != plan && simpler.count <= plan.count)
            plan = simpler
            tried += 1
        }
        #expect(plan.count == 0)
    }

    @Test(arguments: [(0, false), (48, false), (30, true)])
    func `More requests than the rate allows are found`(_ milliseconds: Int, _ isOther: Bool) {
        var log = MuseumLog()
        for number in 0..<22 {
            log.note(
                MuseumLog.Entry(
                    host: isOther && number % 2 == 0 ? "b" : "a", url: "",
                    elapsed: .milliseconds(number * milliseconds),
                    local: 0))
        }
        let isFast = milliseconds * 21 < 999 && !isOther
        #expect(BudgetCheck(log: log, rate: 20, perDay: nil).violations().isEmpty == !isFast)
    }

    @Test(arguments: [(21, false), (22, true), (nil, true)] as [(Int?, Bool)])
    func `More requests than a day allows are found`(_ perDay: Int?, _ isKept: Bool) {
        var log = MuseumLog()
        for number in 0..<44 {
            log.begin()
            log.note(
                MuseumLog.Entry(
                    host: "a", url: "", elapsed: .seconds(number), local: number < 22 ? 86_399 : 86_400))
        }
        #expect(BudgetCheck(log: log, rate: 20, perDay: perDay).violations().isEmpty == isKept)
    }

    @Test(
        arguments: [
            (.met, "/public/collection/v1/objects", "list artwork"),
            (.met, "/public/collection/v1/objects?metadataDate=2026-01-01", "changes artwork"),
            (.met, "/public/collection/v1/objects/12", "artwork 12"),
            (.artic, "/api/v1/agents?page=1&limit=5", "list artist"),
            (.artic, "/api/v1/galleries?ids=3,4&limit=5", "location 3 4"),
            (.artic, "/api/v1/exhibitions/3", "show 3"),
            (.artic, "/api/v1/artworks/search?query[term][department_id]=PC-1", "list artwork"),
            (.cleveland, "/api/artworks/?department=Prints&limit=5", "list artwork"),
            (.cleveland, "/api/artworks/?limit=5", "list artwork"),
            (.cleveland, "/api/artworks/5", "artwork 5"),
            (.smk, "/api/v1/art/search/?keys=*", "list artwork"),
            (.smk, "/api/v1/art/?object_number=KMS%202&lang=en", "artwork KMS 2"),
            (.lighthouse, "/open/works/LH-1", "artwork LH-1"), (.met, "/", "other"),
        ] as [(ImitatedMuseum.Name, String, String)])
    func `What is requested is read from the address`(
        _ museum: ImitatedMuseum.Name, _ target: String, _ subject: String
    ) {
        let host = String(museum.base.split(separator: "/")[1])
        let text =
            switch MuseumSubject(museum, host: host, target: target) {
            case .list(let kind, let isOfChanges): "\(isOfChanges ? "changes" : "list") \(kind.name)"
            case .objects(let kind, let ids): "\(kind.name) \(ids.joined(separator: " "))"
            case .picture: "picture"
            case .other: "other"
            }
        #expect(text == subject)
    }
}
