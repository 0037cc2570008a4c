import Catalogue
import Foundation
import Logging
import MirrorHTTP
import MirrorStore
import OperationTree

/// What a run works with: the environment of its trees. Nothing of it travels through a tree.
///
/// Until the partner is identified, ``source`` and ``router`` stand for the slug that the run was given; then the run goes on with a
/// copy that stands for the partner (``identified(as:extensions:)``), and a tree with one that says where its objects come from.
///
/// An app's step finds the mirror's database, its folder and the session in it: it reads by ``store``, sends its own requests by
/// ``session``, and writes what is its own beside.
public struct SyncEnvironment: Sendable {
    /// The partner's slug, as given.
    public let partner: String
    /// The mirror's database.
    public let store: CatalogueStore
    /// The mirror's files.
    public let files: FileStore
    /// Sends what the steps request. A dry run has one that sends little.
    let sender: any RequestSender
    /// Stores what the steps submit. A dry run has one that stores nothing.
    let applier: any WriteReceiver
    let report: SyncReport
    /// What was asked of the run.
    public let options: SyncOptions
    /// The run's number in the log.
    public let run: Int64
    /// What is walked, or was.
    var tree = SyncTree.tree
    /// Holds up its trees.
    var pausing = SyncPause()
    /// Whether the mirror has lists at all: without any, looking one up is waste.
    var hasLists = true
    /// Whether the mirror was of another server before, so that none of its validators counts.
    var originChanged = false
    var freeSpace = FreeSpace.system
    /// Files that are being fetched or were.
    var downloads = SharedDownloads()
    var logger = Logger(label: "mirror.sync")
    let now: @Sendable () -> Date
    /// Called once the server has shown itself as the one that was meant.
    var recognised: @Sendable () throws -> Void = {}
    /// The user, requested once a run for all who need it.
    let me = SharedAnswer<ObjectAnswer>()
    /// Stops the tree when the server fails one object after the other.
    let breaker = ObjectBreaker()

    /// What the partner's id makes of the rest; `nil` until it is identified.
    private(set) var identity: Identity?
    /// Objects that are known from elsewhere than the server's list of their kind, which then is not requested, and doesn't
    /// count as complete, incomplete or clean because of them.
    private(set) var given: [Kind: [ObjectItem]] = [:]
    /// Whether a snapshot was just taken in, so that nothing can have changed unseen.
    private(set) var isJustLoaded = false
    /// Whether the objects are ones that no list names (ghosts), which prove nothing of any list.
    private(set) var isUnlisted = false

    struct Identity: Sendable {
        let router: Router
        var source: any CatalogueSource
        let extensions: Set<String>
    }

    /// The Partner API's addresses; the partner's id is the slug until it is known.
    var router: Router { identity?.router ?? Router(partner: partner) }
    /// Where the catalogue comes from.
    var source: any CatalogueSource { identity?.source ?? PartnerSource(router) }
    /// What the server offers beside the plain API.
    var extensions: Set<String> { identity?.extensions ?? [] }
    /// What the run's requests are sent by, with login, waits and retries.
    public var session: InterceptableSession { sender.session }
    /// The partner's id, once it is identified.
    public var partnerID: String { router.partnerID }
    var hasValidators: Bool { extensions.contains("validators") }
    var kinds: Kinds { store.kinds }
    /// What ``tree`` lists, beside the whole tree.
    var coverage: TreeCoverage { TreeCoverage(tree, of: kinds, tiles: options.walksTiles) }
    /// The kinds whose lists this run walks.
    var walkedKinds: [Kind] { kinds.listed.filter(coverage.kinds.contains) }

    /// The environment for a partner that was identified.
    func identified(as id: String, extensions: Set<String>) -> SyncEnvironment {
        var environment = self
        let router = Router(partner: id)
        environment.identity = Identity(
            router: router, source: PartnerSource(router, extensions: extensions), extensions: extensions)
        return environment
    }

    /// The environment of an identified partner whose catalogue comes from another source.
    func taking(from source: any CatalogueSource) -> SyncEnvironment {
        var environment = self
        environment.identity?.source = source
        return environment
    }

    /// The environment for a tree, whose objects come from where it says.
    func feeding(
        _ given: [Kind: [ObjectItem]], isJustLoaded: Bool = false, isUnlisted: Bool = false
    ) -> SyncEnvironment {
        var environment = self
        (environment.given, environment.isJustLoaded) = (given, isJustLoaded)
        environment.isUnlisted = isUnlisted
        return environment
    }

    /// Whether all of the partner's lists are replaced by what changed.
    var isPulled: Bool { kinds.listed.allSatisfy { given[$0] != nil } }
}

extension SyncEnvironment {
    /// Sends an operation. An answer that can't be used is not kept in the cache.
    ///
    /// - Throws: ``SyncError`` for what ends the run: credentials that aren't accepted, a certificate that isn't trusted.
    func send<Sent: SyncOperation>(_ operation: Sent) async throws -> Sent.Output {
        do {
            return try await sender.send(operation)
        } catch let error as HTTPError where error.code == .notAuthorised || error.code == .badCertificate {
            throw SyncError(error)
        } catch let error as HTTPError where error.code == .badResponse || error.code == .notJSON {
            forget(operation.route)
            throw error
        }
    }

    /// Takes what is wanted from an answer; one from which it can't be taken is not kept in the cache.
    func reading<Value>(_ operation: some SyncOperation, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            forget(operation.route)
            throw error
        }
    }

    func forget(_ route: Route) { session.cache?.forget([route]) }

    /// Extensions that are used, and so remembered.
    private static let usedExtensions: Set<String> = [
        "validators", "since", "events", "status", "snapshot", "digest",
    ]

    /// Whether the server has `/status`; `nil` if that is not known.
    func offersStatus() throws -> Bool? {
        if let offered = report.current.offered { return offered.contains("status") }
        guard !originChanged, let known = try store.extensions else { return nil }
        return known.contains("status")
    }

    func rememberExtensions() throws {
        guard let offered = report.current.offered else { return }
        try store.setExtensions(offered.intersection(Self.usedExtensions))
    }
}

extension SyncEnvironment {
    /// An environment outside of a sync, for an app's tests: steps are called by themselves in it, and nodes are asked for the
    /// requests that they would send (``OperationTree/Tree/requests(of:for:in:)``). Objects that steps submit are refused: a tree
    /// is run by a ``Sync``.
    ///
    /// - Parameters:
    ///   - id: the partner's.
    ///   - store: of the mirror in `folder`.
    ///   - session: on a scripted transport where nothing is to be sent.
    ///   - extensions: what the server offers beside the plain API, such as `validators`.
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
    /// - Returns: `nil` if the tree has no node of that name, or it takes in another type.
    /// - Throws: what the validation of an operation throws.
    public func requests<Taken: Sendable>(
        of name: String, for input: Taken, in environment: SyncEnvironment
    ) throws -> [Request]? {
        try node(name, taking: Taken.self)?.operations(for: input, in: environment)
            .compactMap { $0 as? any RequestOperation }.map { try $0.request() }
    }
}

/// Takes no writes: there is no run that they could belong to.
private struct ClosedReceiver: WriteReceiver {
    func submit(_ write: Write) async throws {
        throw SyncError(.storage, "Nothing is stored outside of a sync. Run the tree by a Sync.")
    }

    func flush() async throws {}
}
