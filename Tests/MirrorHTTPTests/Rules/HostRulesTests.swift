import MirrorHTTP
import MirrorTesting
import Synchronization
import Testing

/// The rules of a described catalogue, as values.
@Suite struct HostRulesTests {
    private static let blocks = [
        HostBlockRule(.status(403), .wait(.seconds(120))),
        HostBlockRule(.mediaType("text/html"), .wait(.seconds(60))),
        HostBlockRule(.status(410), .ended),
    ]

    @Test(
        arguments: [([], 300), (Array(blocks.suffix(1)), 300), (blocks, 900)] as [([HostBlockRule], Int)])
    func aRequestMayWaitForFiveOfTheLongestBlocks(blocks: [HostBlockRule], seconds: Int) throws {
        #expect(try HostRules(blocks: blocks).longestWait == .seconds(seconds))
    }

    @Test(arguments: [(nil, 300, 900), (nil, 3_600, 3_600), (20, 5, 20), (20, 60, 60)] as [(Int?, Int, Int)])
    func theLongerOfTheRulesAndTheSessionsLongestWaitsCounts(rule: Int?, session: Int, result: Int) throws {
        let test = try TestSession(longestWait: .seconds(session))
        let rules = try HostRules(blocks: Self.blocks, longestWait: rule.map { .seconds($0) })
        #expect(test.session.obeying(rules).configuration.longestWait == .seconds(result))
    }

    static let widths: [(RequestBudget.Limits, Concurrency, Concurrency)] = [
        (.init(), .adaptive, .adaptive), (.init(), .fixed(4), .fixed(4)),
        (.init(requests: 1), .adaptive, .fixed(10)), (.init(requests: 1), .fixed(4), .fixed(4)),
        (.init(requests: 1), .fixed(64), .fixed(10)), (.init(requests: 20), .adaptive, .adaptive),
        (.init(requests: 20), .fixed(64), .fixed(64)), (.init(parallel: 2), .adaptive, .fixed(2)),
    ]

    @Test(arguments: widths)
    func theSmallerOfTheRulesAndTheSessionsConcurrencyCounts(
        limits: RequestBudget.Limits, own: Concurrency, result: Concurrency
    ) throws {
        let test = try TestSession(concurrency: own)
        #expect(try test.session.obeying(HostRules(limits: limits)).configuration.concurrency == result)
    }

    private struct Own: Interceptor {}

    private static func rules(isFull: Bool) throws -> HostRules {
        guard isFull else {
            return try HostRules(limits: .init(parallel: 2), headers: [("X-Name", "mirror")])
        }
        return try HostRules(
            limits: .init(perDay: 5), blocks: blocks, key: AccessKey(.query("key"), value: "s3cret"))
    }

    /// Throttle, pacing, retries and an app's own interceptor, without `Interceptor` in their names.
    static let lists: [([String], [String])] = [
        (["Throttle", "Pacing", "Own", "Retry"], ["Throttle", "Pacing", "Budget", "Block", "Own", "Retry"]),
        (["Own", "Throttle", "Retry", "Own"], ["Own", "Throttle", "Budget", "Block", "Retry", "Own"]),
        (["Own", "Retry"], ["Own", "Throttle", "Budget", "Block", "Retry"]),
        (["Pacing", "Own"], ["Throttle", "Pacing", "Budget", "Block", "Own"]),
        (["Own"], ["Own", "Throttle", "Budget", "Block"]), ([], ["Throttle", "Budget", "Block"]),
    ]

    @Test(arguments: lists)
    func eachInterceptorIsAddedAtItsPlace(names: [String], expected: [String]) throws {
        let list = names.map { name -> any Interceptor in
            switch name {
            case "Throttle": ThrottleInterceptor()
            case "Pacing": PacingInterceptor(interval: .seconds(1))
            case "Retry": RetryInterceptor()
            default: Own()
            }
        }
        func added(isFull: Bool) throws -> [String] {
            try Self.rules(isFull: isFull).added(to: list).map {
                "\(type(of: $0))".replacing("Interceptor", with: "")
            }
        }
        #expect(try added(isFull: true) == expected + ["OriginFields"])
        // A number of requests in flight needs no budget.
        let few = expected.filter { $0 != "Budget" && $0 != "Block" }
        #expect(try added(isFull: false) == few + ["OriginFields"])
    }

    @Test func theAddedInterceptorsUseTheThrottleOfTheList() throws {
        let throttle = ThrottleInterceptor()
        let list = try Self.rules(isFull: true).added(to: [throttle, RetryInterceptor()])
        #expect(list.contains { ($0 as? BudgetInterceptor)?.throttle === throttle })
        #expect(list.contains { ($0 as? BlockInterceptor)?.limit == 5 })
        // An added throttle shares the budget of the retries.
        let retry = RetryInterceptor()
        let added = try Self.rules(isFull: true).added(to: [retry]).first as? ThrottleInterceptor
        #expect(added?.budget === retry.budget)
    }

    @Test(arguments: [
        "", "ada(at)museum.test", "a\\b", "a\r\nX-Evil: 1", "müller@museum.test", "a\u{7F}",
    ])
    func aContactThatIsNoCommentIsRefused(contact: String) throws {
        let error = #expect(throws: HTTPError.self) { try HostRules(contact: contact) }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.message
                == "The contact can't be sent, because it is empty, or contains parentheses, backslashes, line breaks or characters that aren't ASCII. Give an e-mail address or a web address."
        )
    }

    @Test(arguments: [
        ("X Name", "v", "A header field can't be sent, because it isn't valid in HTTP. Correct it."),
        (
            "X-Name", "v\r\nX-Evil: 1",
            "The header field X-Name can't be sent, because it isn't valid in HTTP. Correct it."
        ),
    ])
    func aHeaderFieldThatIsNotValidIsRefused(name: String, value: String, message: String) throws {
        let error = #expect(throws: HTTPError.self) { try HostRules(headers: [(name, value)]) }
        #expect(error?.code == .invalidRequest && error?.message == message)
    }

    @Test func headerFieldsGoToTheOriginAndTheContactToAllHosts() async throws {
        let test = try TestSession(addresses: [
            "origin.test": ["93.184.216.34"], "cdn.test": ["93.184.216.35"],
        ])
        test.transport.always("GET", "/a", .text("a"))
        test.transport.always("GET", "http://cdn.test/b", .text("b"))
        let session = test.session.obeying(
            try HostRules(
                headers: [("AIC-User-Agent", "mirror (ada@museum.test)"), ("Accept", "application/json")],
                contact: "ada@museum.test", hosts: ["cdn.test"]))
        _ = try await session.response(for: Request(.relative("/a"), headers: ["accept": "*/*"]))
        _ = try await session.response(for: Request(.absolute("http://cdn.test/b")))
        let sent = test.transport.requests.map(\.headers)
        #expect(sent.map { $0["User-Agent"] } == Array(repeating: "mirror (ada@museum.test)", count: 2))
        #expect(sent.map { $0["AIC-User-Agent"] } == ["mirror (ada@museum.test)", nil])
        #expect(sent.map { $0["Accept"] } == ["application/json", nil])
    }

    @Test func settlingStoresTheExactCountOfEachHost() async throws {
        let counts = Mutex<[String: Int]>([:])
        let test = try TestSession()
        test.transport.always("GET", "/a", .text("a"))
        let rules = try HostRules(
            limits: .init(perDay: 1_000), restore: { _ in .init(day: 19_675, requests: 20) },
            store: { origin, count in counts.withLock { $0[origin.display] = count.requests } })
        let session = test.session.obeying(rules)
        for _ in 0..<3 { _ = try await session.response(for: Request(.relative("/a"))) }
        #expect(counts.withLock { $0 } == ["origin.test": 30])
        try session.settleBudgets()
        #expect(counts.withLock { $0 } == ["origin.test": 23])
        // A copy has the same budgets.
        _ = try await session.withSeparateWaits(upTo: .zero).response(for: Request(.relative("/a")))
        try session.settleBudgets()
        #expect(counts.withLock { $0 } == ["origin.test": 24])
    }
}
