import Synchronization

@testable import PeriodicLoops

/// A loop whose feed is a script and whose store is a variable. It writes down all that is asked of it.
final class ScriptedLoop: CoreLoop {
    struct Page: EventsPage {
        var eventID: String
        var refresh: RefreshMask = []
        var hasMore = false
        var resident: Resident?
    }

    typealias Answer = @Sendable () async throws -> Page
    typealias Applying = @Sendable (CommitTicket) async throws -> Void

    private struct State {
        var cursor: String?
        var answers: [Answer] = []
        var usual: Answer?
        var applying: [Applying] = []
        var isOverlapping = false
        var isBusy = false
        var health: LoopHealth?
    }

    /// As a partner's: artworks, shows, albums, locations, artists.
    let refreshableKinds = RefreshMask(rawValue: 31)
    let loopID: LoopID
    let storedHealth: LoopHealth
    private let journal: Journal
    private let failure: @Sendable (any Error) -> LoopFailure
    private let link = CoreLoopDelegateLink()
    private let state: Mutex<State>

    init(
        _ id: LoopID, _ journal: Journal, cursor: String? = "0", storedHealth: LoopHealth = LoopHealth(),
        failure: @escaping @Sendable (any Error) -> LoopFailure = ScriptedLoop.failure
    ) {
        loopID = id
        self.journal = journal
        self.storedHealth = storedHealth
        self.failure = failure
        state = Mutex(State(cursor: cursor))
    }

    var delegate: (any CoreLoopDelegate)? {
        get { link.delegate }
        set { link.delegate = newValue }
    }

    /// What is stored.
    var cursor: String? {
        get { state.withLock { $0.cursor } }
        set { state.withLock { $0.cursor = newValue } }
    }

    /// The health that was told last.
    var health: LoopHealth? { state.withLock { $0.health } }

    /// Whether two operations of this loop were ever under way at once.
    var hasOverlapped: Bool { state.withLock { $0.isOverlapping } }

    // MARK: Script

    func answer(_ answers: Answer...) { state.withLock { $0.answers += answers } }

    func answer(_ pages: Page...) {
        state.withLock { state in state.answers += pages.map { page in { page } } }
    }

    func answer(times: Int = 1, throwing error: any Error) {
        state.withLock { $0.answers += Array(repeating: { throw error }, count: times) }
    }

    /// What is answered when the script is at its end. Else: nothing new.
    func answerAlways(_ answer: Answer?) { state.withLock { $0.usual = answer } }

    /// What happens in the next transactions before they are committed.
    func applying(_ work: Applying...) { state.withLock { $0.applying += work } }

    // MARK: Loop

    var latestEventID: String? {
        get async throws {
            if cursor == "unreadable" { throw Trouble.database }
            return cursor
        }
    }

    func poll(after eventID: String) async throws -> Page {
        journal.note("\(loopID) poll \(eventID)")
        let answer = state.withLock { state -> Answer? in
            state.isOverlapping = state.isOverlapping || state.isBusy
            state.isBusy = true
            return state.answers.isEmpty ? state.usual : state.answers.removeFirst()
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
        let work = state.withLock { $0.applying.isEmpty ? nil : $0.applying.removeFirst() }
        try await work?(ticket)
        try ticket.check()
        state.withLock { $0.cursor = cursor }
        journal.note("\(loopID) \(what)")
    }

    func onError(_ error: any Error) async -> LoopFailure {
        journal.note("\(loopID) error \(error)")
        return failure(error)
    }

    func healthChanged(to health: LoopHealth) async {
        state.withLock { $0.health = health }
        journal.note("\(loopID) is \(health.state)")
    }

    static func failure(_ error: any Error) -> LoopFailure {
        switch error as? Trouble {
        case .busy(let wait): .unreachable("busy", retryAfter: wait)
        case .network, .server: .unreachable("\(error)")
        case .gone: .over("gone")
        case .garbage, .database: .unprocessable("\(error)")
        case nil: LoopFailure(error) ?? .unprocessable("\(error)")
        }
    }
}

enum Trouble: Error, Hashable {
    case network, server, busy(Duration), garbage, database, gone
}
