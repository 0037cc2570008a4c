import MirrorSync

/// How a server, and the way to it, fails during one sync: each URL in its own way, once or every time.
struct Faults: Sendable {
    enum Fault: Sendable, Hashable {
        case status(Int)
        /// The connection breaks before the request got there, or before its answer came back.
        case lostBefore, lostAfter
        /// The body ends too early, and nothing says so.
        case truncated
        /// Half of a list, or all of an object, with the ETag of the whole, under a status that says that it need not be all.
        case partial(Int)
        /// A list that names nothing.
        case empty
        /// It comes so many seconds later.
        case delayed(Double)
        /// The request gets there twice, and one of the answers back.
        case duplicated
        /// Something on the way answers with what it was given before.
        case stale

        /// Whether it says of something that it isn't there.
        var isFalse: Bool { [.status(403), .status(404), .status(410), .empty].contains(self) }

        /// What is answered instead of the truth; `nil` where only the way is broken.
        var answer: SimulatedPartner.Answer? {
            switch self {
            case .status(let status): SimulatedPartner.Answer(status: status, body: #"{"error":"trouble"}"#)
            case .empty: SimulatedPartner.Answer(body: "[]", etag: "\"empty\"")
            default: nil
            }
        }
    }

    /// Of 100 URLs, so many fail.
    let percent: Int
    let lies: Bool
    let servesStaleAnswers: Bool
    /// The URL in order that fails if none did before it; `nil`: none has to.
    private let guaranteed: Int?
    /// What met a fault.
    private(set) var count = 0
    private var random: SplitMix
    private var always: [String: Fault] = [:]
    private var met: Set<String> = []
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

    /// How this request fails, if it does.
    ///
    /// Where there has to be one, a certain request is met by one if no other was.
    mutating func next(_ method: String, _ url: String) -> Fault? {
        let key = "\(method) \(url)"
        if let fault = always[key] {
            count += 1
            return fault
        }
        guard met.insert(key).inserted, random.chance(percent) || count == 0 && met.count == guaranteed else {
            return nil
        }
        count += 1
        let fault = draw(method, url)
        if random.chance(40) { always[key] = fault }
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
        // 401 ends a run at once.
        if random.chance(3) { return .status(401) }
        return random.one(
            of: .status(500), .status(503), .status(429), .lostBefore, .lostAfter, .truncated, .delayed(20),
            .partial(206), .partial(203))
    }

    /// What the server says of itself; well in the end.
    mutating func nextStatus() -> Int {
        guard !statuses.isEmpty else {
            // It recovers from what failed every time, or doesn't.
            if random.chance(50) { always = [:] }
            return 200
        }
        return statuses.removeFirst()
    }
}
