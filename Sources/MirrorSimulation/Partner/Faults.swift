import MirrorSync

/// Faults of the server and the network during one sync. Each URL fails in a way of its own, once or every time.
struct Faults: Sendable {
    enum Fault: Sendable, Hashable {
        case status(Int)
        /// The connection is lost before the request arrives, or before the answer does.
        case lostBefore, lostAfter
        /// The body ends early, without an error.
        case truncated
        /// Half of a list, or a complete object, with the ETag of the complete body, and a status that allows for a
        /// partial answer.
        case partial(Int)
        /// A list without elements.
        case empty
        /// The answer is delayed by that number of seconds.
        case delayed(Double)
        /// The request arrives twice, and one of the answers is sent back.
        case duplicated
        /// An intermediary sends an old answer.
        case stale

        /// Whether the answer claims that something doesn't exist although it does.
        var isFalse: Bool { [.status(403), .status(404), .status(410), .empty].contains(self) }

        /// The answer that replaces the real one; `nil` if the server answers normally.
        var answer: SimulatedPartner.Answer? {
            switch self {
            case .status(let status): SimulatedPartner.Answer(status: status, body: #"{"error":"trouble"}"#)
            case .empty: SimulatedPartner.Answer(body: "[]", etag: "\"empty\"")
            default: nil
            }
        }
    }

    /// The percentage of URLs that fail.
    let percent: Int
    let lies: Bool
    let servesStaleAnswers: Bool
    /// The number of the URL that fails if none did before it; `nil` if none has to fail.
    private let guaranteed: Int?
    /// The number of requests that failed.
    private(set) var count = 0
    private var random: SplitMix
    private var lastingFaults: [String: Fault] = [:]
    private var seenRequests: Set<String> = []
    private var statuses: [Int]

    init(seed: UInt64, _ traits: PartnerTraits, guaranteeing guaranteed: Int?) {
        self.guaranteed = guaranteed
        random = SplitMix(seed: seed)
        percent = random.one(of: 3, 10, 30)
        lies = traits.lies
        servesStaleAnswers = traits.servesStaleAnswers
        var random = random.branch()
        statuses = (0..<random.below(4)).map { _ in random.one(of: 500, 503, 500, 429) }
    }

    /// The fault of a request, if it fails.
    ///
    /// If at least one request has to fail, the `guaranteed` one does, unless another failed before it.
    mutating func next(_ method: String, _ url: String) -> Fault? {
        let key = "\(method) \(url)"
        if let fault = lastingFaults[key] {
            count += 1
            return fault
        }
        guard seenRequests.insert(key).inserted,
            random.chance(percent) || count == 0 && seenRequests.count == guaranteed
        else {
            return nil
        }
        count += 1
        let fault = draw(method, url)
        if random.chance(40) { lastingFaults[key] = fault }
        return fault
    }

    private mutating func draw(_ method: String, _ url: String) -> Fault {
        guard method == "GET" else {
            return random.one(
                of: .status(500), .status(503), .lostBefore, .lostAfter, .lostAfter, .duplicated, .delayed(40)
            )
        }
        if servesStaleAnswers, random.chance(50) { return .stale }
        if lies, random.chance(40) {
            return url.containsUTF8("ids=1") && random.chance(50)
                ? .empty : .status(random.one(of: 404, 403, 410))
        }
        // Rarely, as a 401 ends the run at once.
        if random.chance(3) { return .status(401) }
        return random.one(
            of: .status(500), .status(503), .status(429), .lostBefore, .lostAfter, .truncated, .delayed(20),
            .partial(206), .partial(203))
    }

    /// The next status of the server's `/status`; 200 in the end.
    mutating func nextStatus() -> Int {
        guard !statuses.isEmpty else {
            // The server recovers from the lasting faults, or it does not.
            if random.chance(50) { lastingFaults = [:] }
            return 200
        }
        return statuses.removeFirst()
    }
}
