import Synchronization

@testable import PeriodicLoops

/// A loop whose feed is scripted and whose store is a variable. It records all calls.
final class ScriptedLoop: CoreLoop {
    struct Page: EventsPage {
        var eventID: String
        var refresh: RefreshMask = []
        var hasMore = false
        var countedObject: CountedObject?
    }

    typealias Answer = @Sendable () async throws -> Page
    typealias BeforeCommit = @Sendable (CommitTicket) async throws -> Void

    private struct State {
        var cursor: String?
        var answers: [Answer] = []
        var defaultAnswer: Answer?
        var beforeCommit: [BeforeCommit] = []
        var isOverlapping = false
        var isBusy = false
        var health: LoopHealth?
    }

    /// Five bits, as for a partner's feed: artworks, shows, albums, locations and artists.
    let refreshableKinds = RefreshMask(rawValue: 31)
    let loopID: LoopID
    let storedHealth: LoopHealth
    private let log: EventLog
    private let failure: @Sendable (any Error) -> LoopFailure
    private let link = CoreLoopDelegateLink()
    private let state: Mutex<State>

    init(
        _ id: LoopID, _ log: EventLog, cursor: String? = "0", storedHealth: LoopHealth = LoopHealth(),
        failure: @escaping @Sendable (any Error) -> LoopFailure = ScriptedLoop.failure
    ) {
        loopID = id
        self.log = log
        self.storedHealth = storedHealth
        self.failure = failure
        state = Mutex(State(cursor: cursor))
    }

    var delegate: (any CoreLoopDelegate)? {
        get { link.delegate }
        set { link.delegate = newValue }
    }

    /// The stored cursor.
    var cursor: String? {
        get { state.withLock { $0.cursor } }
        set { state.withLock { $0.cursor = newValue } }
    }

    /// The last health that was reported.
    var health: LoopHealth? { state.withLock { $0.health } }

    /// Whether two polls of this loop ever ran at the same time.
    var hasOverlapped: Bool { state.withLock { $0.isOverlapping } }

    // MARK: Script

    func answer(_ answers: Answer...) { state.withLock { $0.answers += answers } }

    func answer(_ pages: Page...) {
        state.withLock { state in state.answers += pages.map { page in { page } } }
    }

    func answer(times: Int = 1, throwing error: any Error) {
        state.withLock { $0.answers += Array(repeating: { throw error }, count: times) }
    }

    /// Sets the answer after the end of the script. Default: a page without news.
    func answerAlways(_ answer: Answer?) { state.withLock { $0.defaultAnswer = answer } }

    /// Sets work that the next transactions do before they are committed.
    func beforeCommit(_ work: BeforeCommit...) { state.withLock { $0.beforeCommit += work } }

    // MARK: Loop

    var latestEventID: String? {
        get async throws {
            if cursor == "unreadable" { throw ScriptedError.database }
            return cursor
        }
    }

    func poll(after eventID: String) async throws -> Page {
        log.record("\(loopID) poll \(eventID)")
        let answer = state.withLock { state -> Answer? in
            state.isOverlapping = state.isOverlapping || state.isBusy
            state.isBusy = true
            return state.answers.isEmpty ? state.defaultAnswer : state.answers.removeFirst()
        }
        defer { state.withLock { $0.isBusy = false } }
        return try await answer?() ?? Page(eventID: eventID)
    }

    func process(_ page: Page, ticket: CommitTicket) async throws {
        try await apply("apply \(page.eventID)", cursor: page.eventID, ticket)
    }

    func refresh(_ kinds: RefreshMask, answer: Page?, ticket: CommitTicket) async throws {
        try await apply("refresh \(kinds.rawValue)", cursor: answer?.eventID ?? "latest", ticket)
    }

    private func apply(_ what: String, cursor: String, _ ticket: CommitTicket) async throws {
        let work = state.withLock { $0.beforeCommit.isEmpty ? nil : $0.beforeCommit.removeFirst() }
        try await work?(ticket)
        try ticket.check()
        state.withLock { $0.cursor = cursor }
        log.record("\(loopID) \(what)")
    }

    func onError(_ error: any Error) async -> LoopFailure {
        log.record("\(loopID) error \(error)")
        return failure(error)
    }

    func healthChanged(to health: LoopHealth) async {
        state.withLock { $0.health = health }
        log.record("\(loopID) is \(health.state)")
    }

    static func failure(_ error: any Error) -> LoopFailure {
        switch error as? ScriptedError {
        case .busy(let wait): .unreachable("busy", retryAfter: wait)
        case .network, .server: .unreachable("\(error)")
        case .gone: .over("gone")
        case .garbage, .database: .unprocessable("\(error)")
        case nil: LoopFailure(error) ?? .unprocessable("\(error)")
        }
    }
}

enum ScriptedError: Error, Hashable {
    case network, server, busy(Duration), garbage, database, gone
}
