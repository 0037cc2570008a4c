import Catalogue
import MirrorHTTP
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite struct RetryDelayTests {
    @Test(arguments: [
        (RetryDelay.Kind.slow, 0.0, [60.0, 90, 135, 202.5, 303.75, 455.625, 683.4375, 900, 900]),
        (.slow, 1, [60, 120, 240, 480, 900, 900]),
        (.slow, 0.5, [60, 105, 183.75, 321.5625, 562.734375, 900]),
        (.fast, 0, [10, 10, 10, 10]), (.fast, 1, [10, 15, 22.5, 33.75]), (.fast, 0.5, [10, 12.5, 15.625]),
        // Random numbers outside of 0 to 1 are clamped.
        (.slow, 7, [60, 120]), (.fast, -7, [10, 10]),
    ])
    func retryDelaysGrowByTheirFactorsUpToTheLimit(kind: RetryDelay.Kind, random: Double, seconds: [Double]) {
        var delay = RetryDelay()
        for seconds in seconds {
            let next = delay.next(kind, random: random) / .seconds(1)
            #expect(abs(next - seconds) < 0.001)
        }
    }

    @Test func slowAndFastRetryDelaysGrowSeparately() {
        var delay = RetryDelay()
        let kinds: [RetryDelay.Kind] = [.slow, .fast, .fast, .slow, .fast]
        #expect(
            kinds.map { delay.next($0, random: 1) } == [
                .seconds(60), .seconds(10), .seconds(15), .seconds(120), .seconds(22.5),
            ])
    }

    /// Each delay is the first of its kind, or larger than the one before by a factor within its range, or the longest.
    @Test func anySequenceOfRetryDelaysStaysWithinItsBounds() {
        let random = SeededRandom(seed: 3)
        for _ in 0..<500 {
            var delay = RetryDelay(), last: [RetryDelay.Kind: Duration] = [:]
            for _ in 0..<60 {
                let kind: RetryDelay.Kind = random.unit() < 0.5 ? .slow : .fast
                let next = delay.next(kind, random: random.unit())
                if let last = last[kind] {
                    #expect(next >= min(last * kind.growth.lowerBound, RetryDelay.longest))
                    #expect(next <= min(last * kind.growth.upperBound, RetryDelay.longest))
                } else {
                    #expect(next == kind.first)
                }
                last[kind] = next
            }
        }
    }
}

@Suite struct RetryRuleTests {
    private static let worthiness = RetryRule(hasStatus: true)

    private static func error(_ status: Int?, _ code: HTTPError.Code = .serverError, reason: String? = nil)
        -> HTTPError
    {
        HTTPError(code, "sentence", status: status, reason: reason)
    }

    private static func text(_ verdict: RetryRule.Verdict) -> String {
        switch verdict {
        case .waits(let status): "waits \(status.map(String.init) ?? "silent")"
        case .ends(let error): "ends \(error.code)"
        case .fails: "fails"
        }
    }

    @Test(arguments: [
        (500, true), (501, true), (502, true), (503, true), (504, true), (507, true), (599, true),
        (600, false),
        (499, false), (400, true), (402, true), (403, true), (404, false), (413, true), (429, true),
        (405, false), (406, false), (408, false), (409, false), (411, false), (412, false), (414, false),
        (415, false), (422, false), (428, false), (301, false), (304, false), (200, false),
    ])
    func eachStatusOfAListEitherWaitsOrFails(status: Int, waits: Bool) {
        for subject in [RetryRule.Subject.list, .since] {
            let verdict = Self.worthiness.verdict(on: Self.error(status), of: subject)
            #expect(Self.text(verdict) == (waits ? "waits \(status)" : "fails"), "\(subject)")
        }
    }

    @Test(arguments: [
        (error(401, .notAuthorised), "ends notAuthorised"),
        (error(403, .notAuthorised, reason: "credentials_expired"), "ends notAuthorised"),
        (error(403, .forbidden, reason: "no"), "waits 403"),
        (error(410, .notFound), "fails"), (error(418, .unexpectedStatus), "ends badAnswer"),
        (error(400, .unexpectedStatus, reason: "since_too_old"), "fails"),
        (error(400, .unexpectedStatus, reason: "invalid"), "waits 400"),
        (error(503, reason: "since_too_old"), "waits 503"),
        (error(nil, .unreachable), "waits silent"), (error(nil, .timedOut), "waits silent"),
        (error(nil, .connectionLost), "waits silent"), (error(nil, .notJSON), "fails"),
        // The computer is offline or the host name is wrong, so waiting doesn't help.
        (
            HTTPError(.unreachable, "sentence", cause: TransportError(.cannotResolveHost, "no such host")),
            "ends unreachable"
        ),
        (error(nil, .tooLarge), "fails"),
        // The server asks for a longer wait than a request may take, so the error has no status.
        (error(nil, .tooManyRequests), "waits 429"),
    ])
    func reasonsAndErrorCodesOverrideTheStatus(error: HTTPError, expected: String) {
        for subject in [RetryRule.Subject.list, .since] {
            #expect(Self.text(Self.worthiness.verdict(on: error, of: subject)) == expected, "\(subject)")
            #expect(Self.text(Self.worthiness.verdict(on: SyncError(error), of: subject)) == expected)
            #expect(
                Self.text(Self.worthiness.verdict(on: LastingFailure(cause: error), of: subject)) == expected)
        }
    }

    /// The server answered, so it is not down.
    @Test(arguments: [TransportError.Code.brokenCoding, .unknownCoding, .badResponse])
    func aBodyThatCannotBeDecodedFailsWithoutAWait(code: TransportError.Code) throws {
        let address = try #require(WebAddress("http://origin.test/api/v1/partner/p/albums"))
        let error = HTTPError.from(TransportError(code, "broken"), at: address)
        for subject in RetryRule.Subject.allCases {
            #expect(Self.text(Self.worthiness.verdict(on: error, of: subject)) == "fails", "\(subject)")
        }
    }

    @Test(arguments: [
        (400, "fails"), (404, "fails"), (403, "waits 403"), (503, "waits 503"), (413, "waits 413"),
        (500, "waits 500"), (410, "fails"),
    ])
    func aMissingPartnerFailsAndAFailingServerIsWaitedFor(status: Int, expected: String) {
        #expect(Self.text(Self.worthiness.verdict(on: Self.error(status), of: .partner)) == expected)
    }

    @Test(arguments: [
        RetryRule(hasStatus: false), RetryRule(hasStatus: true, failsFast: true),
    ])
    func failuresAreNotWaitedForWithoutAStatusOrWithFailFast(worthiness: RetryRule) {
        #expect(Self.text(worthiness.verdict(on: Self.error(503), of: .list)) == "fails")
        #expect(
            Self.text(worthiness.verdict(on: Self.error(nil, .unreachable), of: .list)) == "ends unreachable")
        #expect(
            Self.text(worthiness.verdict(on: Self.error(418, .unexpectedStatus), of: .since))
                == "ends badAnswer")
    }

    @Test func errorsOtherThanHTTPErrorsFailWithoutAWait() {
        #expect(Self.text(Self.worthiness.verdict(on: CancellationError(), of: .list)) == "fails")
        #expect(Self.text(Self.worthiness.verdict(on: SyncError(.tooMany, "x"), of: .list)) == "fails")
    }
}

@Suite struct RepeatedFailuresTests {
    @Test func aRequestIsAbandonedAfterItsFourthEqualFailure() {
        var failures = RepeatedFailures()
        let failure = FailedRequest(url: "/partner/p/artworks?ids=1&size=all", status: 503)
        #expect(
            (0..<4).map { _ in failures.note([failure]) } == [
                true, true, true, false,
            ])
    }

    @Test func failuresAreCountedByURLAndStatus() {
        var failures = RepeatedFailures()
        for _ in 0..<3 {
            for (url, status) in [("/a", 503), ("/a", 500), ("/b", 503)] {
                #expect(failures.note([FailedRequest(url: url, status: status)]) == true)
            }
        }
        #expect(failures.note([FailedRequest(url: "/a", status: 500)]) == false)
        #expect(failures.note([FailedRequest(url: "/c", status: 500)]) == true)
    }

    /// Requests that fail in the same walk use up one restart, and each has its own count.
    @Test func requestsThatFailTogetherAreCountedSeparately() {
        var failures = RepeatedFailures()
        let many = (0..<100).map { FailedRequest(url: "/show/\($0)/artworks", status: 500) }
        for _ in 0..<3 { #expect(failures.note(many) == true) }
        let late = FailedRequest(url: "/albums", status: nil)
        #expect(failures.note(many + [late]) == true)
        #expect(failures.isAbandoned(many[0]) && !failures.isAbandoned(late))
        for _ in 0..<2 { #expect(failures.note(many + [late]) == true) }
        #expect(failures.note(many + [late]) == false)
    }

    /// `+` a restart because of objects after progress, `-` one without.
    @Test(arguments: [
        ("", true), ("--", true), ("---", false), ("--+", true), ("--+--", false), ("-+-+", true),
        ("+++++", true), ("++++++", false), ("-+-+-+", false),
    ])
    func failedObjectsRestartARunThreeTimesWithoutProgressAndSixTimesInAll(
        restarts: String, mayStartOver: Bool
    ) {
        var failures = RepeatedFailures()
        for restart in restarts { failures.noteObjects(isProgress: restart == "+") }
        #expect(failures.mayStartOverForObjects == mayStartOver)
        // Restarts because of objects don't reduce those because of lists.
        let verdicts = (0..<30).map { failures.note([FailedRequest(url: "/list?since=\($0)", status: 500)]) }
        #expect(verdicts.firstIndex(of: false) == RepeatedFailures.most)
        #expect(failures.mayStartOverForObjects == mayStartOver)
    }

    @Test func afterAllRestartsOfARunEveryFailedRequestIsAbandoned() {
        var failures = RepeatedFailures()
        let verdicts = (0..<30).map { failures.note([FailedRequest(url: "/list?since=\($0)", status: 500)]) }
        #expect(verdicts.firstIndex(of: false) == RepeatedFailures.most)
    }
}

@Suite struct ObjectRunTests {
    /// `x` an object that failed, `.` one that was answered, with a count before each.
    private static func outcomes(_ text: String) -> [Bool] {
        text.split(separator: " ").flatMap { part in
            Array(repeating: part.hasSuffix("x"), count: Int(part.dropLast()) ?? 0)
        }
    }

    @Test(
        arguments: [
            ("19x", nil), ("20x", 20), ("19x 1. 19x", nil), ("19x 1. 20x", 40), ("1000.", nil),
            // A third of the last 100, once there are 100.
            ("33x 66.", 20), ("66. 19x 1. 13x", nil), ("66. 19x 1. 15x", 101),
        ] as [(String, Int?)])
    func twentyFailuresInARowOrAThirdOfTheLastHundredAreServerTrouble(text: String, at position: Int?) {
        var run = ObjectRun()
        let verdicts = Self.outcomes(text).map { run.note(failed: $0) }
        #expect(verdicts.firstIndex(of: true).map { $0 + 1 } == position)
    }

    @Test(arguments: [(3, true), (4, false)])
    func scatteredFailuresAreServerTroubleDependingOnTheirShare(every number: Int, isTrouble: Bool) {
        var run = ObjectRun()
        let verdicts = (0..<1_000).map { run.note(failed: $0.isMultiple(of: number)) }
        #expect(verdicts.contains(true) == isTrouble)
        if isTrouble { #expect(verdicts.firstIndex(of: true) == 99) }
    }

    /// Compares with a simple implementation that stores the last hundred outcomes.
    @Test func anySequenceOfOutcomesIsJudgedLikeAPlainVersionOfTheRule() {
        let random = SeededRandom(seed: 5)
        for share in [0.1, 0.3, 0.35, 0.8] {
            var run = ObjectRun(), all: [Bool] = []
            for _ in 0..<500 {
                all.append(random.unit() < share)
                let last = all.suffix(100), row = all.suffix(20)
                let isTrouble =
                    row.count == 20 && row.allSatisfy { $0 } || last.count == 100 && last.count { $0 } > 33
                #expect(run.note(failed: all[all.count - 1]) == isTrouble)
            }
            #expect(run.answered == all.count { !$0 })
        }
    }

    @Test(arguments: [
        (500 as Int?, HTTPError.Code.serverError, true), (503, .serverError, true), (404, .notFound, false),
        (429, .tooManyRequests, false), (nil, .timedOut, true), (nil, .unreachable, true),
        (nil, .notJSON, false),
    ])
    func onlyMissingAnswersAndStatus5xxAreServerTrouble(status: Int?, code: HTTPError.Code, says: Bool) {
        #expect(HTTPError(code, "sentence", status: status).isServerFailure == says)
    }
}
