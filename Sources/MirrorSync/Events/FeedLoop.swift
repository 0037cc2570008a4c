import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import PeriodicLoops

/// What the partner's loop and shows' loops have in common: cursor and health are stored, pages are applied alike.
protocol FeedLoop: EventsLoop where Page == FeedPage {
    var pages: PageApplier { get }

    /// The server answers this feed no more.
    func feedEnded(_ message: String)
}

extension FeedLoop {
    var context: FeedContext { pages.context }
    var loopID: LoopID { pages.loop }

    var latestEventID: String? {
        get async throws { try context.store.loop(loopID)?.cursor }
    }

    var storedHealth: LoopHealth { (try? context.store.loop(loopID))?.storedHealth ?? LoopHealth() }

    func poll(after eventID: String) async throws -> FeedPage {
        try await context.feed(show: pages.show).page(after: eventID)
    }

    func onError(_ error: any Error) async -> LoopFailure {
        switch FeedFailure(error) {
        case .passing(let failure): return failure
        case .over(let message):
            feedEnded(message)
            return .over(message)
        case .guarded(let message):
            context.setting.tally.add(.failures)
            context.note(
                LoopRecord(id: loopID, kind: pages.kind, state: LoopRecord.guarded, message: message))
            return .over(message)
        case .final(let error):
            context.follower?.ends(error)
            return .unreachable(SyncEnding.message(error))
        }
    }

    func healthChanged(to health: LoopHealth) async {
        if health.state != .well { context.setting.tally.add(.failures) }
        context.note(LoopRecord(id: loopID, kind: pages.kind, health: health, date: context.date))
    }
}

extension LoopRecord {
    /// What is stored of a loop's health.
    init(id: String, kind: Kind, health: LoopHealth, date: (Duration) -> Date) {
        let isWell = health.state == .well
        self.init(
            id: id, kind: kind, state: isWell ? Self.enabled : health.state.rawValue,
            failures: max(health.failures, health.troubles), message: health.lastError,
            nextAt: health.nextTry.map { CatalogueStore.text(of: date($0)) },
            health: isWell
                ? nil : (try? JSONEncoder().encode(health)).map { String(decoding: $0, as: UTF8.self) })
    }

    /// `nil` for a loop that is well, guarded or over, and for what can't be read.
    var storedHealth: LoopHealth? {
        guard LoopHealth.State(rawValue: state) != nil, let health else { return nil }
        return try? JSONDecoder().decode(LoopHealth.self, from: Data(health.utf8))
    }
}

/// What an error of a loop means for the loop, and for the watch.
enum FeedFailure: Sendable {
    /// Tried again, as the loop's escalation says.
    case passing(LoopFailure)
    /// The loop is over; the watch goes on.
    case over(String)
    /// The delete guard objected to a refresh.
    case guarded(String)
    /// Only a person can fix it: the watch ends.
    case final(any Error)

    init(_ error: any Error) {
        switch error {
        case let error as GuardObjection: self = .guarded(error.message)
        case let error as EventsFeed.Refusal: self = .over(error.description)
        case let error as HTTPError where error.code == .notAuthorised: self = .final(SyncError(error))
        // What is held back because the server asked for it was not even sent.
        case let error as HTTPError where error.isWorthRetry || error.code == .tooManyRequests:
            self = .passing(.unreachable(error.message, retryAfter: error.retryAfter))
        case let error as SyncError: self.init(error)
        case let error as StoreError where error.code == .locked || error.code == .diskFull:
            self = .passing(.unreachable(error.message))
        case let error as LastingFailure: self.init(error.cause)
        case is CancellationError:
            self = .passing(.unreachable("It was broken off. It is tried again later."))
        default:
            self = .passing(LoopFailure(error) ?? .unprocessable(SyncEnding.message(error)))
        }
    }

    private init(_ error: SyncError) {
        switch error.code {
        // A 403 concerns one thing, not the login.
        case .notAuthorised where (error.cause as? HTTPError)?.code != .forbidden, .otherOrigin:
            self = .final(error)
        case .unreachable, .serverTrouble, .unknownPartner: self = .passing(.unreachable(error.message))
        default:
            if let cause = error.cause {
                self.init(cause)
            } else {
                self = .passing(.unprocessable(error.message))
            }
        }
    }
}

/// More would go with a refresh or a page than the delete guard allows.
struct GuardObjection: Error {
    let intents: [DeleteGuard.Intent]

    /// For a run that goes on without what it would remove.
    var problem: Problem { Problem(what: "guard", kind: nil, id: nil, message: message) }

    var message: String {
        let kinds = intents.map { "\($0.deletions) of \($0.held) \($0.noun)" }.joined(separator: ", ")
        return
            "The server's lists would remove \(kinds), which the delete guard does not allow. Look at the server; if it is right, run mirror sync with a higher --max-delete."
    }
}
