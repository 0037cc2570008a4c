import Catalogue
import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import Synchronization

/// What one run works with: the root's input, from which every step gets it.
package final class SyncEnvironment: Sendable {
    /// The partner as the person named it: a slug, or an id.
    package let partner: String
    package let session: InterceptableSession
    package let store: CatalogueStore
    package let files: FileStore
    /// The addresses of pictures and documents that were requested.
    package let downloads: SharedDownloads
    package let applier: any WriteReceiver
    package let report: SyncReport
    package let options: SyncOptions
    package let run: Int64
    package let now: @Sendable () -> Date
    /// Whether the mirror knew any list when the run, or the walk of the tree, began: on a first sync none has to be looked
    /// for.
    package var hasLists: Bool { lists.load(ordering: .relaxed) }
    private let lists: Atomic<Bool>
    /// Whether the host changes with this run, so that nothing that is stored or cached may vouch before it has answered.
    package let isSwitch: Bool
    let freeSpace: FreeSpace
    /// Takes down what a sync would do, if that is all that is wanted; `nil` in a real sync.
    package let plan: PlanRecorder?
    let logger: Logger
    /// What the server says of the user, asked once a run for all who want to know.
    let me = SharedAnswer()
    /// Ends a walk of the tree when enough objects fail to say that the server is in trouble.
    let objects = ObjectBreaker()
    private let scope = Mutex<PartnerScope?>(nil)
    /// Called once, when the server has answered as the partner.
    let recognised: @Sendable () throws -> Void

    package init(
        partner: String, session: InterceptableSession, store: CatalogueStore, files: FileStore,
        applier: any WriteReceiver,
        report: SyncReport, options: SyncOptions, run: Int64, hasLists: Bool = true, isSwitch: Bool = false,
        freeSpace: FreeSpace = .system, plan: PlanRecorder? = nil,
        downloads: SharedDownloads = SharedDownloads(),
        logger: Logger = Logger(label: "mirror.sync"), now: @escaping @Sendable () -> Date,
        recognised: @escaping @Sendable () throws -> Void = {}
    ) {
        self.plan = plan
        self.logger = logger
        self.isSwitch = isSwitch
        self.freeSpace = freeSpace
        self.recognised = recognised
        lists = Atomic(hasLists)
        self.partner = partner
        self.session = session
        self.store = store
        self.files = files
        self.downloads = downloads
        self.applier = applier
        self.report = report
        self.options = options
        self.run = run
        self.now = now
    }

    /// Notes lists that came in this run itself: with a snapshot, or before the server was in trouble.
    func lookForLists() throws {
        guard !hasLists else { return }
        lists.store(try store.hasLists(), ordering: .relaxed)
    }

    /// Sends an operation; what no other request would fare better with ends the run.
    func send<Sent: RequestOperation>(_ operation: Sent) async throws -> Sent.Output {
        let began = plan.map { _ in now() }
        var bytes = 0
        defer { if let began { plan?.tookTime(now().timeIntervalSince(began), bytes: bytes) } }
        do {
            let output = try await session.send(operation)
            if let plan, let fetched = output as? Fetched {
                bytes = fetched.head.receivedBytes
                if let head = fetched.headBytes { plan.sawHead(bytes: head) }
            }
            return output
        } catch let error as HTTPError where error.code == .notAuthorised || error.code == .badCertificate {
            throw SyncError(error)
        } catch let error as HTTPError where error.code == .badResponse {
            // The cache may keep what is no whole answer here, such as a 203.
            if let fetch = operation as? FetchOperation { forget(fetch.route) }
            throw error
        }
    }
}

extension SyncEnvironment {
    /// Reads an operation's answer. What can't be read isn't kept in the cache: an answer that was cut short on its way
    /// would be confirmed by a 304 each time, and so never be mended.
    func reading<Value>(_ operation: FetchOperation, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            forget(operation.route)
            throw error
        }
    }

    /// What the cache holds of a canonical URL is not used again.
    func forget(_ route: Route) {
        session.cache?.forget([route])
    }

    /// The partner, if it was asked for before the tree ran.
    var knownScope: PartnerScope? { scope.withLock { $0 } }

    func discovered(_ found: PartnerScope?) { scope.withLock { $0 = found } }

    /// The server's time, as far as it was ever measured.
    func serverTime() throws -> Date {
        try now().addingTimeInterval(report.current.clockOffset ?? store.clockOffset)
    }

    /// By how much the server's clock is ahead, as measured in this run and as it was remembered; `nil` before it was measured.
    func clockOffsets() throws -> (now: Double, before: Double)? {
        guard let measured = report.current.clockOffset else { return nil }
        return (measured, try store.clockOffset)
    }

    /// Remembers by how much the clocks differ, where that is news.
    func rememberClock() throws {
        if let measured = report.current.clockOffset { try store.noteClockOffset(measured) }
    }
}

/// The partner once it is known: what the branches of the tree take in.
package final class PartnerScope: Sendable {
    package let environment: SyncEnvironment
    package let id: String
    package let router: Router
    package let extensions: Set<String>
    /// Where the objects of a kind come from; a kind that isn't here is listed by the server.
    package let listings: [Kind: Listing]
    /// Whether everything under every object has just come, as with a snapshot: then nothing under one is doubted.
    package let isJustLoaded: Bool
    /// Whether only what no list of the run leads to is looked at.
    let isUnlisted: Bool

    package init(
        _ environment: SyncEnvironment, id: String, extensions: Set<String>,
        listings: [Kind: Listing] = [:], isJustLoaded: Bool = false, isUnlisted: Bool = false
    ) {
        self.environment = environment
        self.id = id
        self.router = Router(partner: id)
        self.extensions = extensions
        self.listings = listings
        self.isJustLoaded = isJustLoaded
        self.isUnlisted = isUnlisted
    }

    /// The same partner, with other sources of objects.
    package func listing(
        _ listings: [Kind: Listing], isJustLoaded: Bool = false, isUnlisted: Bool = false
    ) -> PartnerScope {
        PartnerScope(
            environment, id: id, extensions: extensions, listings: listings, isJustLoaded: isJustLoaded,
            isUnlisted: isUnlisted)
    }

    /// What is looked at instead of the kind's own list, if anything is.
    func given(_ kind: Kind) -> [GivenItem]? {
        if case .given(let items) = listings[kind] { items } else { nil }
    }

    /// Whether no list is asked for in this run, as what changed of every kind is known.
    var isPulled: Bool { PersistingOrder.kinds.allSatisfy { given($0) != nil } }

    var hasValidators: Bool { extensions.contains("validators") }
}

/// An object whose lists are looked at next.
package struct ObjectScope: Sendable {
    package let partner: PartnerScope
    package let owner: Owner
    /// ETags of the lists under it, as a validators list said; `nil` without one.
    package let lists: [String: String]?
    /// What is stored of the lists under it, by name; `nil` if that was not looked up yet.
    package let states: [String: ListState]?

    package init(
        partner: PartnerScope, owner: Owner, lists: [String: String]?, states: [String: ListState]? = nil
    ) {
        self.partner = partner
        self.owner = owner
        self.lists = lists
        self.states = states
    }

    var environment: SyncEnvironment { partner.environment }

    /// What is stored of a list under the object.
    func state(of list: ListName) throws -> ListState? {
        if let states { return states[list.name] }
        return environment.hasLists ? try environment.store.listState(list.url) : nil
    }

    /// Whether documents of its that are here may have changed although no list under it did: a list of ids has the same ETag
    /// as long as it names the same ids. Whoever is looked at at all was reported, or stands in a list that is another than
    /// the one that was last found whole, and either may be because of a document.
    static func mayHaveOtherDocuments(_ partner: PartnerScope, _ states: [String: ListState]) -> Bool {
        !partner.isJustLoaded && states["documents"].map { $0.members > 0 } ?? false
    }

    /// The ETag that a list under the object is said to have, where that tells whether it changed: what is stored of it
    /// came from this very server, with an ETag.
    func tellingETag(of name: String, _ state: ListState?) -> String? {
        environment.isSwitch || (state != nil && state?.etag == nil) ? nil : lists?[name]
    }
}
