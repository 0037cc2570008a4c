import Catalogue
import Foundation
import MirrorHTTP
import MirrorSync
import Synchronization

/// An imitated museum as the mirror's ``Transport``: its staff change the catalogue between two requests, it fails as any server
/// does, and it records what is requested. A process whose disk has crashed can send it nothing.
final class MuseumServer: Sendable {
    private struct State {
        var log = MuseumLog()
        /// The failures of this run; `nil` for none.
        var failures: SplitMix?
        /// The seeds of changes, by the number of the request before which they happen.
        var edits: [Int: [UInt64]] = [:]
        /// The number of the request during whose answer the process is killed.
        var fatalRequest: Int?
        var requests = 0
        var failed = 0
        var changes = 0
        /// The second of the last change, by the server's clock.
        var lastChange = Int.min
    }

    let traits: MuseumTraits
    let museum: ImitatedMuseum
    let clock: SimulatedClock
    let disk: CrashDisk
    private let transcript: Transcript
    /// Called before each request is answered, to check the mirror.
    private let beforeAnswer: @Sendable () -> Void
    private let state = Mutex(State())

    init(
        _ traits: MuseumTraits, _ catalogue: ImitatedCatalogue, clock: SimulatedClock, disk: CrashDisk,
        transcript: Transcript, beforeAnswer: @escaping @Sendable () -> Void
    ) {
        (self.traits, self.clock, self.disk) = (traits, clock, disk)
        (self.transcript, self.beforeAnswer) = (transcript, beforeAnswer)
        museum = ImitatedMuseum(
            traits.museum, catalogue, faults: traits.hasSpaces ? [.spacesInNumbers] : [],
            seed: traits.faultSeed, now: { clock.server })
    }

    /// What was requested, and what was answered, in the current run or the last one.
    var log: MuseumLog { state.withLock { $0.log } }
    /// The number of requests in all runs.
    var requests: Int { state.withLock { $0.requests } }
    /// The number of failures in all runs, without those of the museum's own faults.
    var failed: Int { state.withLock { $0.failed } }
    /// The number of changes of the catalogue.
    var changes: Int { state.withLock { $0.changes } }

    // MARK: - Changes and disturbances

    /// Makes a random change. No two changes happen in the same second, because some versions are times in seconds.
    func change(_ seed: UInt64) {
        let second = Int(clock.server.rounded(.down)), last = state.withLock { $0.lastChange }
        if second <= last { clock.advance(by: Double(last + 1) - clock.server) }
        var edit = MuseumEdit(museum.catalogue, seed: seed)
        let line = edit.draw()
        museum.apply(edit.edits)
        state.withLock { state in
            state.changes += 1
            state.lastChange = Int(clock.server.rounded(.down))
        }
        transcript.note("museum: \(line)")
    }

    /// Begins a run with its disturbances.
    func begin(_ sync: MuseumSync) {
        museum.faults = sync.faults.union(traits.hasSpaces ? [.spacesInNumbers] : [])
        state.withLock { state in
            state.log.begin()
            state.failures = sync.failures.map { SplitMix(seed: $0) }
            state.edits = Dictionary(grouping: sync.edits) { state.requests + $0.request }
                .mapValues { $0.map(\.seed) }
            state.fatalRequest = nil
            if case .request(let number)? = sync.crash?.moment {
                state.fatalRequest = state.requests + number
            }
        }
    }

    /// Ends the disturbances after a run.
    func end() {
        museum.faults = traits.hasSpaces ? [.spacesInNumbers] : []
        state.withLock { ($0.failures, $0.edits, $0.fatalRequest) = (nil, [:], nil) }
    }

    /// The failures that any server has. None of them means that an object is absent.
    private enum Failure { case status(Int, [String: String]), lost, timedOut }

    private func failure() -> Failure? {
        state.withLock { state in
            guard state.failures?.chance(12) == true else { return nil }
            state.failed += 1
            switch state.failures?.below(9) {
            case 0: return .lost
            case 1: return .timedOut
            case 2: return .status(429, ["Retry-After": "7"])
            case 3: return .status(503, ["Retry-After": "40"])
            case 4: return .status(403, [:])
            case 5: return .status(502, [:])
            default: return .status(500, [:])
            }
        }
    }

    // MARK: - Answers

    private func answer(_ request: TransportRequest, _ host: String, _ target: String) throws
        -> ImitationAnswer
    {
        switch failure() {
        case .lost: throw TransportError(.connectionLost, "The connection was lost.")
        case .timedOut: throw TransportError(.idleTimedOut, "The server stopped answering.")
        case .status(let status, let headers):
            return ImitationAnswer(
                status: status, headers: headers.merging(["Content-Type": "application/json"]) { $1 },
                body: .bytes(Array(#"{"error":"failed"}"#.utf8)))
        case nil: break
        }
        let headers = Dictionary(
            request.headers.lines.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
        return museum.answer(
            method: request.method, host: host, target: target, headers: headers, body: request.body ?? [])
    }

    /// Counts a request, and lets the staff change the catalogue before it is answered.
    private func receive(_ request: TransportRequest, _ host: String, _ subject: MuseumSubject) {
        let entry = MuseumLog.Entry(host: host, url: request.url, elapsed: clock.elapsed, local: clock.local)
        let edits = state.withLock { state in
            state.requests += 1
            state.log.note(entry)
            state.log.note(subject)
            return state.edits[state.requests] ?? []
        }
        for seed in edits { change(seed) }
    }
}

extension MuseumServer: Transport {
    func send(_ request: TransportRequest, into sink: any BodySink) async throws -> TransportResponse {
        try Task.checkCancellation()
        // A process that has crashed sends nothing.
        guard !disk.hasCrashed else { throw CancellationError() }
        beforeAnswer()
        guard request.url.hasPrefix("https://") else {
            throw TransportError(.cannotConnect, "The museum answers https only.")
        }
        let address = request.url.dropFirst("https://".count), host = String(address.prefix { $0 != "/" })
        let target = String(address.dropFirst(host.count))
        let subject = MuseumSubject(traits.museum, host: host, target: target)
        receive(request, host, subject)
        let answer: ImitationAnswer
        do {
            answer = try self.answer(request, host, target)
        } catch {
            transcript.note("\(request.method) \(request.url): lost")
            throw error
        }
        let bytes = answer.bytesWithoutDrawing
        transcript.note("\(request.method) \(request.url): \(answer.status), \(bytes.count) bytes")
        var head = TransportResponse(
            status: answer.status, headers: HeaderFields(answer.headers.map { ($0, $1) }))
        let isFatal = state.withLock { $0.fatalRequest == $0.requests }
        let sent = isFatal || answer.isCutOff ? bytes.prefix(bytes.count / 2) : bytes[...]
        try sink.begin(head)
        try sent.withUnsafeBytes { if !$0.isEmpty { try sink.receive($0) } }
        if isFatal {
            transcript.note("local: the process dies over an answer")
            disk.crash()
            throw CancellationError()
        }
        if answer.isCutOff { throw TransportError(.connectionLost, "The museum dropped the connection.") }
        state.withLock { $0.log.note(answer, to: subject, url: request.url, at: clock.local) }
        head.receivedBytes = bytes.count
        return head
    }
}
