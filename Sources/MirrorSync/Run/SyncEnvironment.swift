import Catalogue
import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import OperationTree

/// The environment of a run's trees: the mirror's database, files and session, and the run's options.
///
/// Until the partner is identified, ``source`` and ``router`` use the slug that the run was started with. From then on the run
/// uses a copy with the partner's id (``identified(as:extensions:)``). A tree that gets its objects from elsewhere than the
/// server's lists uses a copy with these objects (``fetching(_:isSnapshotLoaded:isUnlisted:)``).
///
/// A step of an app reads the database by ``store`` and sends its own requests by ``session``. It writes its own data
/// elsewhere.
public struct SyncEnvironment: Sendable {
    /// The partner's slug.
    public let partner: String
    /// The mirror's database.
    public let store: CatalogueStore
    /// The mirror's files.
    public let files: FileStore
    /// Sends the steps' requests. A dry run's sender sends only a few of them.
    let sender: any RequestSender
    /// Stores the steps' writes. A dry run's receiver stores nothing.
    let applier: any WriteReceiver
    let report: SyncReport
    /// The run's options.
    public let options: SyncOptions
    /// The run's number in the log.
    public let run: Int64
    /// The tree that the run walks.
    var tree = SyncTree.tree
    /// Pauses the run's trees.
    var pausing = SyncPause()
    /// Whether the mirror has any lists. If not, looking one up is skipped.
    var hasLists = true
    /// The described catalogue that the mirror is a copy of; `nil` for a server with the Partner API.
    var catalogue: DescribedCatalogue?
    /// Whether the mirror was synced from another server before. Its validators are then not used.
    var originChanged = false
    var freeSpace = FreeSpace.system
    /// Files that this run has downloaded or is downloading.
    var downloads = SharedDownloads()
    var logger = Logger(label: "mirror.sync")
    let now: @Sendable () -> Date
    /// Called when the server has identified itself as the partner.
    var whenIdentified: @Sendable () throws -> Void = {}
    /// The user, requested once a run and shared by all steps.
    let me = SharedAnswer<ObjectAnswer>()
    /// Remembers a described source when its server has answered.
    let identification = SourceIdentification()
    /// Items whose answers are stored before a used-up budget ends the run.
    let itemsInFlight = ItemsInFlight()
    /// Stops the tree when the server fails many objects in succession.
    let breaker = ObjectBreaker()

    /// The values that depend on the partner's id; `nil` until the partner is identified.
    private(set) var identity: Identity?
    /// Objects to fetch by their ids instead of walking the list of their kind. The list is not requested, and these objects
    /// don't make it complete, incomplete or clean.
    private(set) var given: [Kind: [ObjectItem]] = [:]
    /// Whether a snapshot was just loaded, so that no earlier change can be missing.
    private(set) var isSnapshotLoaded = false
    /// Whether the objects are ghosts, which no list contains. They prove nothing about any list.
    private(set) var isUnlisted = false

    struct Identity: Sendable {
        let router: Router
        var source: any CatalogueSource
        let extensions: Set<String>
    }

    /// The routes of the Partner API; they use the slug until the partner's id is known.
    var router: Router { identity?.router ?? Router(partner: partner) }
    /// The source of the catalogue.
    var source: any CatalogueSource { identity?.source ?? PartnerSource(router) }
    /// The server's extensions of the plain API.
    var extensions: Set<String> { identity?.extensions ?? [] }
    /// The session that sends the run's requests, with login, waits and retries.
    public var session: InterceptableSession { sender.session }
    /// The partner's id; the slug until the partner is identified.
    public var partnerID: String { router.partnerID }
    var hasValidators: Bool { extensions.contains("validators") }
    var kinds: Kinds { store.kinds }
    /// What ``tree`` lists, compared with the whole tree.
    var coverage: TreeCoverage { TreeCoverage(tree, of: kinds, tiles: options.walksTiles) }
    /// The kinds whose lists this run walks.
    var walkedKinds: [Kind] { kinds.listed.filter(coverage.kinds.contains) }

    /// A copy for the identified partner.
    func identified(as id: String, extensions: Set<String>) -> SyncEnvironment {
        var environment = self
        let router = Router(partner: id)
        environment.identity = Identity(
            router: router,
            source: catalogue.map(DescribedSource.init) ?? PartnerSource(router, extensions: extensions),
            extensions: extensions)
        return environment
    }

    /// A copy that reads the catalogue from another source; the partner must be identified.
    func taking(from source: any CatalogueSource) -> SyncEnvironment {
        var environment = self
        environment.identity?.source = source
        return environment
    }

    /// A copy for a tree that fetches these objects instead of walking the lists of their kinds.
    func fetching(
        _ given: [Kind: [ObjectItem]], isSnapshotLoaded: Bool = false, isUnlisted: Bool = false
    ) -> SyncEnvironment {
        var environment = self
        (environment.given, environment.isSnapshotLoaded) = (given, isSnapshotLoaded)
        environment.isUnlisted = isUnlisted
        return environment
    }

    /// Whether the changed objects of every kind are known, so that no list is walked.
    var isPulled: Bool { kinds.listed.allSatisfy { given[$0] != nil } }
}

extension SyncEnvironment {
    /// Sends an operation. An unusable answer is removed from the cache.
    ///
    /// - Throws: ``SyncError`` for errors that end the run: refused credentials, an untrusted certificate. ``HTTPError`` for
    ///   others.
    func send<Sent: SyncOperation>(_ operation: Sent) async throws -> Sent.Output {
        do {
            let output = try await sender.send(operation)
            report.noteAnswered()
            return output
        } catch let error as HTTPError
            where endsSending(error) || error.code == .blocked && report.isBlockedAgain()
        {
            throw await paused(by: error)
        } catch let error as HTTPError
            where [.notAuthorised, .badCertificate, .serviceEnded].contains(error.code)
        {
            throw SyncError(error)
        } catch let error as HTTPError where error.code == .badResponse || error.code == .notJSON {
            forget(operation.route)
            throw error
        }
    }

    /// Whether an error says that no further requests are sent: the day's budget is used up, the host requests a wait that is too
    /// long, or the run ends for another reason.
    func endsSending(_ error: HTTPError) -> Bool {
        [.dailyBudgetUsedUp, .waitTooLong].contains(error.code) || error.code == session.stopReason?.code
    }

    /// The error of a run that the source allows no further requests for now.
    ///
    /// Nothing new is sent, to other hosts neither. The error is returned when the items in flight have ended, so that what was
    /// received is stored.
    func paused(by error: HTTPError) async -> SyncError {
        session.stopSending(error)
        await itemsInFlight.waitForOthers()
        return SyncError(session.stopReason ?? error)
    }

    /// Reads a value from an answer. If `body` throws, the answer is removed from the cache.
    func reading<Value>(_ operation: some SyncOperation, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            forget(operation.route)
            throw error
        }
    }

    /// Removes an answer from the cache.
    func forget(_ route: Route) { session.cache?.forget([route]) }

    /// The extensions that a sync uses. Only these are remembered.
    private static let usedExtensions: Set<String> = [
        "validators", "since", "events", "status", "snapshot", "digest",
    ]

    /// Whether the server has `/status`; `nil` if unknown.
    func offersStatus() throws -> Bool? {
        if let offered = report.current.offered { return offered.contains("status") }
        guard !originChanged, let known = try store.extensions else { return nil }
        return known.contains("status")
    }

    /// Stores the extensions that the server listed in this run.
    func rememberExtensions() throws {
        guard let offered = report.current.offered else { return }
        try store.setExtensions(offered.intersection(Self.usedExtensions))
    }
}

extension SyncEnvironment {
    /// An environment outside a sync, for an app's tests.
    ///
    /// A test calls single steps in it, or gets the requests that a node would send
    /// (``OperationTree/Tree/requests(of:for:in:)``). Writes that steps submit are refused: only a ``Sync`` runs a tree.
    ///
    /// - Parameters:
    ///   - id: the partner's id.
    ///   - store: the store of the mirror in `folder`.
    ///   - session: with a scripted transport if no request is to be sent.
    ///   - extensions: the server's extensions of the plain API, such as `validators`.
    public init(
        partner id: String, store: CatalogueStore, folder: MirrorFolder, session: InterceptableSession,
        options: SyncOptions = SyncOptions(), extensions: Set<String> = []
    ) {
        self.init(
            partner: id, store: store, files: folder.files, sender: session, applier: ClosedReceiver(),
            report: SyncReport(), options: options, run: 0, now: { Date() })
        self = identified(as: id, extensions: extensions)
    }
}

extension Tree where Environment == SyncEnvironment {
    /// The requests that a node would send for an input, without sending them.
    ///
    /// ```swift
    /// let requests = try tree.requests(of: "artwork", for: PartnerID("moma"), in: environment)
    /// ```
    ///
    /// - Returns: `nil` if the tree has no node of that name, or if the node's input has another type.
    /// - Throws: the error of an operation's validation.
    public func requests<Taken: Sendable>(
        of name: String, for input: Taken, in environment: SyncEnvironment
    ) throws -> [Request]? {
        try node(name, taking: Taken.self)?.operations(for: input, in: environment)
            .compactMap { $0 as? any RequestOperation }.map { try $0.request() }
    }
}

/// Refuses all writes: outside a sync there is no run that they could belong to.
private struct ClosedReceiver: WriteReceiver {
    func submit(_ write: Write) async throws {
        throw SyncError(.storage, "Nothing can be stored outside a sync. Run the tree in a Sync.")
    }

    func flush() async throws {}
}
