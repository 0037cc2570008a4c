import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorSync
import Synchronization

/// A partner's server in this process: a small catalogue with random changes, which answers according to the API, or
/// fails.
///
/// It is written from the description of the API, independently of the program's own server. Its properties are
/// ``PartnerTraits``, its content is ``PartnerCatalogue``, its failures are ``Faults`` and ``Hazard``, and its answers
/// are recorded in ``ServerTranscript``. It is also the mirror's ``Transport``; a process whose disk has crashed can send
/// it nothing.
package final class SimulatedPartner: Sendable {
    struct State: Sendable {
        let traits: PartnerTraits
        var random: SplitMix
        var catalogue = PartnerCatalogue()
        var albums = AlbumEndpoint()
        var faults: Faults?
        var hazard: Hazard?
        /// The number of requests in this run that the hazard affected.
        var hazardHits = 0
        /// The seconds by which `Date` is ahead of the server's clock.
        var dateAhead = 0.0
        /// The former lists, if all lists are empty for a run.
        var emptied: PartnerCatalogue.EmptiedLists?
        /// Whether `Date` was ever wrong.
        var hadWrongDate = false
        /// Whether a false answer or a missing tombstone had an effect that only an audit corrects.
        var needsAudit = false
        /// Whether an old answer was sent: no later event reports the changes that it lacks.
        var sentStaleAnswers = false
        /// Whether a list was sent with an ETag that it never had. A later ETag then differs even if the list did not
        /// change.
        var sentForeignETags = false
        /// Actions between the requests of a sync, by the number of the request before which they happen.
        var concurrentActions: [Int: [@Sendable () -> Void]] = [:]
        /// The number of the request during whose answer the process is killed.
        var fatalRequest: Int?
        var requests = 0
        var serverTranscript = ServerTranscript()
        /// The last different answers by URL, which an intermediary may send again.
        var pastAnswers: [String: [PastAnswer]] = [:]
        /// The number of the current login session.
        var session = 0
    }

    struct PastAnswer: Sendable {
        let answer: Answer
        let at: Double
    }

    static let origin = "http://partner.test"
    static let base = "\(origin)/api/v1"
    static let name = "somebody"

    let clock: SimulatedClock
    let transcript: Transcript
    let disk: CrashDisk
    /// Called before each request is answered, to check the mirror.
    private let beforeAnswer: @Sendable () -> Void
    private let state: Mutex<State>

    init(
        traits: PartnerTraits, random: SplitMix, clock: SimulatedClock, transcript: Transcript,
        disk: CrashDisk,
        beforeAnswer: @escaping @Sendable () -> Void
    ) {
        self.clock = clock
        self.transcript = transcript
        self.disk = disk
        self.beforeAnswer = beforeAnswer
        var state = State(traits: traits, random: random)
        state.catalogue.objects["\(PartnerCatalogue.root)/all"] = PartnerCatalogue.Body([
            "id": "p", "name": "The Partner",
        ])
        if traits.offersUser {
            state.catalogue.objects["/me"] = PartnerCatalogue.Body(["id": "me", "name": "Somebody"])
        }
        self.state = Mutex(state)
    }

    func with<T: Sendable>(_ body: (inout sending State) throws -> sending T) rethrows -> T {
        try state.withLock { try body(&$0) }
    }

    /// A copy of the current catalogue.
    var catalogue: PartnerCatalogue { state.withLock { $0.catalogue } }
    /// Whether everything that the server sent until now was correct.
    var isTruthful: Bool {
        state.withLock { !$0.traits.lies && !$0.needsAudit && !$0.sentStaleAnswers }
    }
    var traits: PartnerTraits { state.withLock { $0.traits } }

    /// The time of a change, in milliseconds since 1970 by the server's clock; whole seconds unless it sends
    /// `Changes-End`.
    func time(_ state: State) -> Int {
        let now = Int(clock.server * 1_000)
        guard state.traits.sendsChangesEnd else { return now / 1_000 * 1_000 }
        // No two changes have the same time.
        return max(now, (state.catalogue.lastChange ?? 0) + 1)
    }

    /// Makes a random change in the catalogue.
    func change(_ seed: UInt64) {
        let line = state.withLock { state in
            var edit = CatalogueEdit(time: time(state), state.traits), random = SplitMix(seed: seed)
            let line = edit.apply(&state.catalogue, &random)
            if edit.omittedTombstone { state.needsAudit = true }
            return line
        }
        transcript.note("server: \(line)")
    }

    // MARK: - Answers

    /// An answer, and how it is transferred.
    struct Answer: Sendable {
        var status = 200
        var headers: HeaderFields = [:]
        var body = ""
        /// The ETag of the body. A request with the same one is answered with 304.
        var etag: String?
        var isPicture = false
        /// Whether the body is truncated.
        var isTruncated = false
        /// The body that the ETag belongs to, if not this one.
        var validatedBody: String?

        /// The bytes of the body. A picture begins with the signature of a JPEG.
        var bytes: [UInt8] {
            isPicture ? [0xFF, 0xD8, 0xFF, 0xE0] + Array(body.utf8) : Array(body.utf8)
        }
    }

    func answer(_ request: TransportRequest, _ url: String) throws -> Answer {
        beforeAnswer()
        let concurrentActions = state.withLock { state in
            state.requests += 1
            return state.concurrentActions.removeValue(forKey: state.requests)
        }
        for other in concurrentActions ?? [] { other() }
        return try state.withLock { state in
            clock.advance(by: state.random.chance(95) ? 0.01 : 0.3)
            if request.url.hasSuffix("/_session") { return login(request, &state) }
            if request.url.hasSuffix("/status") {
                if case .failingList? = state.hazard { return Answer(body: "{}") }
                return Answer(status: state.faults?.nextStatus() ?? 200, body: "{}")
            }
            guard mayAsk(request, state) else { return Answer(status: 401) }
            let fault = state.faults?.next(request.method, url)
            if fault == .lostBefore { throw TransportError(.connectionLost, "the request was lost") }
            if let fault, fault.isFalse { state.needsAudit = true }
            if fault == .empty, state.traits.hasETags { state.sentForeignETags = true }
            var answer = try self.answer(request, url, fault, &state)
            if fault == .lostAfter { throw TransportError(.connectionLost, "the answer was lost") }
            if case .delayed(let seconds) = fault { clock.advance(by: seconds) }
            if case .partial(let status) = fault, answer.status == 200, !answer.isPicture {
                (answer.status, answer.body) = (status, Self.half(of: answer.body))
            }
            if let rule = state.traits.cacheControl { answer.headers["Cache-Control"] = rule }
            answer.headers["Content-Type"] =
                answer.isPicture
                ? "image/jpeg" : Self.isSnapshot(url) ? "application/x-ndjson" : "application/json"
            if answer.isPicture { answer.headers["Content-Length"] = String(answer.bytes.count) }
            if state.traits.hasETags, answer.status < 300 { answer.headers["ETag"] = answer.etag }
            answer.isTruncated = fault == .truncated
            return answer
        }
    }

    private func answer(
        _ request: TransportRequest, _ url: String, _ fault: Faults.Fault?, _ state: inout State
    ) throws -> Answer {
        if let instead = Self.replacement(request.method, url, state.hazard) {
            state.hazardHits += 1
            // The empty list is only in the answer: validators, changes and events still describe the full one. Only an
            // audit corrects that.
            if instead.status == 200 {
                state.needsAudit = true
                if state.traits.hasETags { state.sentForeignETags = true }
            }
            return dated(instead, state)
        }
        if let instead = fault?.answer { return dated(instead, state) }
        guard request.method == "GET" else {
            // Only with idempotency keys can a server recognise that an album is created twice.
            let isHarmless = state.traits.honoursIdempotencyKeys || request.method != "POST"
            if fault == .duplicated, isHarmless { _ = write(request, url, &state) }
            return dated(write(request, url, &state), state)
        }
        var now = read(url, state)
        if fault == nil, Self.insertUnusableElements(&now, url, state.hazard) {
            state.hazardHits += 1
            return dated(now, state)
        }
        let isKept =
            now.status == 200 && !Self.isSnapshot(url)
            && !["since=", "/events/", "/digest?"].contains(where: url.containsUTF8)
        guard isKept else { return dated(now, state) }
        if fault == .stale, let past = state.pastAnswers[url]?.first, past.answer.body != now.body {
            // An old answer with an ETag does no lasting harm.
            if !state.traits.hasETags { state.needsAudit = true }
            state.sentStaleAnswers = true
            var answer = past.answer
            answer.headers["Age"] = String(max(1, Int(clock.server - past.at)))
            if state.traits.sendsDate { answer.headers["Date"] = HTTPDate.format(past.at) }
            return answer
        }
        if state.traits.servesStaleAnswers, state.pastAnswers[url]?.last?.answer.body != now.body {
            state.pastAnswers[url, default: []].append(PastAnswer(answer: now, at: clock.server))
            if (state.pastAnswers[url]?.count ?? 0) > 2 { state.pastAnswers[url]?.removeFirst() }
        }
        return dated(now, state)
    }

    /// A list with the first half of its elements; any other body unchanged.
    private static func half(of body: String) -> String {
        guard let names = try? JSONValue(parsing: body).arrayValue else { return body }
        return JSONValue.array(Array(names.prefix(names.count / 2))).canonicalText
    }

    static func isSnapshot(_ url: String) -> Bool {
        url.prefix { $0 != "?" }.hasSuffix("/snapshot")
    }

    private func dated(_ answer: Answer, _ state: State) -> Answer {
        var answer = answer
        if state.traits.sendsDate { answer.headers["Date"] = HTTPDate.format(clock.server + state.dateAhead) }
        return answer
    }

    private func read(_ url: String, _ state: State) -> Answer {
        let parts = url.split(separator: "?", maxSplits: 1).map(String.init)
        let responder = PartnerResponder(catalogue: state.catalogue, traits: state.traits, now: clock.server)
        return responder.answer(url, path: parts.first ?? "", query: parts.count > 1 ? parts[1] : "")
    }

    private func write(_ request: TransportRequest, _ url: String, _ state: inout State) -> Answer {
        if url.hasSuffix("/partner_flags") { return Answer(body: "{}") }
        let time = time(state)
        return state.albums.answer(request, url, &state.catalogue, state.traits, at: time)
    }

    // MARK: - Authentication

    private func login(_ request: TransportRequest, _ state: inout State) -> Answer {
        guard case .login(let password) = state.traits.access,
            request.body.map({ String(decoding: $0, as: UTF8.self) })?.containsUTF8(password) == true
        else { return Answer(status: 401) }
        state.session += 1
        var answer = Answer(body: "{}")
        answer.headers["Set-Cookie"] = "AuthSession=\(password)-\(state.session); Path=/; HttpOnly"
        return answer
    }

    private func mayAsk(_ request: TransportRequest, _ state: State) -> Bool {
        switch state.traits.access {
        case .open: true
        case .token(let token): request.headers["X-Access-Token"] == token
        case .login(let password):
            request.headers["Cookie"]?.containsUTF8("AuthSession=\(password)-\(state.session)") == true
        }
    }
}
