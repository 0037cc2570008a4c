import Foundation
import MirrorHTTP
import MirrorStore
import MirrorSync
import PartnerAPI
import Synchronization

/// A partner's server in this process: a small catalogue that changes at random, and answers as the API says, or fails.
///
/// It is written from the description of the API, not with the program's own server. What it is like otherwise is in
/// its ``PartnerTraits``; what it has, in ``PartnerCatalogue``; how it fails, in ``Faults``. It is a ``Transport`` itself.
package final class SimulatedPartner: Sendable {
    struct State: Sendable {
        let traits: PartnerTraits
        var random: SplitMix
        var catalogue = PartnerCatalogue()
        var albums = AlbumDesk()
        var faults: Faults?
        /// Whether something was said or left unsaid that changes alone will never mend.
        var needsAudit = false
        /// What comes between the requests of a sync, by their number.
        var meanwhile: [Int: @Sendable () -> Void] = [:]
        var requests = 0
    }

    static let base = "http://partner.test/api/v1"

    let clock: SimulatedClock
    let transcript: Transcript
    private let state: Mutex<State>

    init(traits: PartnerTraits, random: SplitMix, clock: SimulatedClock, transcript: Transcript) {
        self.clock = clock
        self.transcript = transcript
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

    /// A copy of what it has now.
    var catalogue: PartnerCatalogue { state.withLock { $0.catalogue } }
    var traits: PartnerTraits { state.withLock { $0.traits } }

    /// Milliseconds since 1970 by its clock; servers that keep times to the second have no others.
    private func time(_ state: State) -> Int {
        let now = Int(clock.server * 1_000)
        guard state.traits.saysChangesEnd else { return now / 1_000 * 1_000 }
        // No two changes are of one moment.
        return max(now, (state.catalogue.lastChange ?? 0) + 1)
    }

    /// Somebody there changes something.
    func change() {
        let line = state.withLock { state in
            var change = CatalogueChange(time: time(state), isForgetful: state.traits.isForgetful)
            let line = change.make(&state.catalogue, &state.random)
            if change.left { state.needsAudit = true }
            return line
        }
        transcript.note("there: \(line)")
    }

    // MARK: - Answering

    /// What it answers, and how the answer gets through.
    struct Answer: Sendable {
        var status = 200
        var headers: HeaderFields = [:]
        var body = ""
        /// The body's ETag; a request that knows it is answered 304.
        var etag: String?
    }

    fileprivate func answer(_ request: TransportRequest) throws -> Answer {
        let url = String(request.url.dropFirst(Self.base.count))
        let meanwhile = state.withLock { state in
            state.requests += 1
            return state.meanwhile.removeValue(forKey: state.requests)
        }
        meanwhile?()
        return try state.withLock { state in
            clock.advance(by: state.random.chance(95) ? 0.01 : 0.3)
            if request.url.hasSuffix("/status") {
                return Answer(status: state.faults?.nextStatus(&state.random) ?? 200, body: "{}")
            }
            let fault = state.faults?.next(request.method, url, &state.random)
            if fault == .lostBefore { throw TransportError(.connectionLost, "lost on the way there") }
            if let fault, fault.isLie { state.needsAudit = true }
            var answer: Answer
            if let fault, let instead = fault.answer {
                answer = instead
            } else {
                answer =
                    request.method == "GET" ? read(url, &state) : write(request, url, &state)
            }
            if fault == .lostAfter { throw TransportError(.connectionLost, "lost on the way back") }
            if state.traits.saysDate { answer.headers["Date"] = HTTPDate.format(clock.server) }
            if let rule = state.traits.cacheControl { answer.headers["Cache-Control"] = rule }
            answer.headers["Content-Type"] = "application/json"
            if state.traits.hasETags, answer.status < 300 { answer.headers["ETag"] = answer.etag }
            if fault == .cutShort { answer.body = String(answer.body.dropLast(answer.body.count / 2 + 1)) }
            return answer
        }
    }

    private func read(_ url: String, _ state: inout State) -> Answer {
        let parts = url.split(separator: "?", maxSplits: 1).map(String.init)
        let reading = PartnerReading(catalogue: state.catalogue, traits: state.traits, now: clock.server)
        return reading.answer(url, path: parts.first ?? "", query: parts.count > 1 ? parts[1] : "")
    }

    private func write(_ request: TransportRequest, _ url: String, _ state: inout State) -> Answer {
        if url.hasSuffix("/partner_flags") { return Answer(body: "{}") }
        let time = time(state)
        return state.albums.answer(request, url, &state.catalogue, state.traits, at: time)
    }
}

extension SimulatedPartner: Transport {
    package func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse
    {
        try Task.checkCancellation()
        let line = "\(request.method) \(request.url.dropFirst(Self.base.count))"
        var answer: Answer
        do {
            answer = try self.answer(request)
        } catch {
            transcript.note("\(line): lost")
            throw error
        }
        if answer.status == 200, request.method == "GET", let etag = answer.headers["ETag"],
            request.headers["If-None-Match"] == etag
        {
            answer.status = 304
            answer.body = ""
        }
        transcript.note("\(line): \(answer.status) \(answer.body)")
        var head = TransportResponse(status: answer.status, headers: answer.headers)
        try sink.begin(head)
        var body = answer.body
        try body.withUTF8 { if !$0.isEmpty { try sink.receive(UnsafeRawBufferPointer($0)) } }
        head.receivedBytes = answer.body.utf8.count
        return head
    }
}
