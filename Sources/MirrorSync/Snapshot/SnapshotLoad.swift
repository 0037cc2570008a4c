import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Takes in a server's snapshot (`snapshot` extension): a first sync as one streamed request.
///
/// What comes goes to the cache, then to the database, part by part, with the place up to which it went: a break, and the
/// end of this process, are followed by a request for the rest. Everything that makes it doubtful that what came is the
/// whole catalogue of one instant is an outcome of its own: the tree then looks at everything, and what is stored is vouched
/// for by its ETags.
///
/// A line goes from the ``SnapshotInbox``, which the transfer fills, to ``SnapshotIntake``, which has it cut out
/// (``SnapshotLines``) and read (``SnapshotReading``, ``SnapshotLine``) into a ``SnapshotPart``, to the ``SnapshotWriter``.
struct SnapshotLoad {
    struct Loaded: Sendable {
        var event: String?
        /// Objects that came to be, by kind.
        var created: [Kind: Int] = [:]
        /// When the server made the answer, in seconds since 1970.
        var date: Double?
        /// The moment behind the last change that it has, where the server says so.
        var end: Timestamp?
        /// Members of the partner's own lists.
        var listed: [Kind: Int] = [:]
        /// Why not every canonical URL is stored as it was at that event; `nil` if each is.
        var doubt: String?
    }

    let environment: SyncEnvironment
    let observe: @Sendable (Write, WriteEffect) -> Void

    private var store: CatalogueStore { environment.store }

    /// After that number of breaks in a row, with nothing new between them, the tree takes over.
    private static let patience = 3

    /// Whether there is anything to load: nothing is stored yet, or a part of a snapshot.
    ///
    /// A whole one may have left no list in the store: those of the partner's own are not noted, and there may be no others.
    static func isDue(_ environment: SyncEnvironment, _ extensions: Set<String>) throws -> Bool {
        let options = environment.options
        guard extensions.contains("snapshot"), !environment.originChanged, !options.full,
            environment.coverage.isWhole
        else {
            return false
        }
        let store = environment.store
        return try !environment.hasLists && !store.isLoaded || store.loadPosition() != nil
    }

    /// - Returns: `nil` if nothing came.
    /// - Throws: ``SyncError`` where the store can't be written; `CancellationError`.
    func run() async throws -> Loaded? {
        do {
            var position = try store.loadPosition() ?? LoadPosition()
            var loaded = Loaded(event: position.event)
            let failure = try await take(&position, &loaded)
            for (kind, count) in position.objects {
                if let kind = environment.kinds[kind] { loaded.created[kind] = count }
            }
            loaded.doubt = try failure ?? position.doubt ?? doubt(loaded)
            // The object that loses a slug is requested again.
            if try store.settleLoaded(run: environment.run) {
                loaded.doubt = loaded.doubt ?? "several objects claim a slug"
            }
            try store.endLoading(isWhole: loaded.doubt == nil)
            if let doubt = loaded.doubt {
                environment.logger.info("The snapshot is not relied on: \(doubt)")
            }
            environment.report.note { $0.loading = nil }
            return failure != nil && position.lines == 0 ? nil : loaded
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    private func doubt(_ loaded: Loaded) throws -> String? {
        try environment.kinds.listed.first { try loaded.listed[$0] != store.heldCount($0) }.map {
            "it has other \($0.plural) than are listed"
        }
    }

    /// Takes in answers until one comes to its end.
    ///
    /// - Returns: why none does; `nil` if one did.
    private func take(_ position: inout LoadPosition, _ loaded: inout Loaded) async throws -> String? {
        var breaks = 0, restarts = 0
        while true {
            let before = position.url
            do {
                if try await takeOne(&position, &loaded) { return nil }
            } catch let error as HTTPError where error.status == 409 {
                guard restarts == 0 else { return "it moves on too fast" }
                restarts += 1
                // What was there may be gone: what is stored by now is only a beginning.
                (position.event, position.url, position.lines) = (nil, "", 0)
                position.doubt = "it was begun anew"
                continue
            } catch let error as HTTPError where error.isWorthRetry || error.status == nil {
                environment.logger.debug("The snapshot broke off: \(error)")
            } catch let error as HTTPError {
                return error.message
            } catch let failure as SnapshotFailure {
                return failure.rawValue
            } catch is BrokenStream {
                // Counted below, as every break is.
            }
            breaks = position.url == before ? breaks + 1 : 0
            guard breaks < Self.patience else { return "it breaks off" }
        }
    }

    /// Requests what comes behind a position, and takes it in.
    ///
    /// - Returns: whether the answer came to its end; `false` if it broke off.
    private func takeOne(_ position: inout LoadPosition, _ loaded: inout Loaded) async throws -> Bool {
        let isFirst = position.url.isEmpty, began = environment.now()
        let route = environment.router.snapshot(
            after: isFirst ? nil : position.url, event: isFirst ? nil : position.event)
        return try await Self.streaming(route, environment.session) { inbox in
            var intake = SnapshotIntake(
                environment: environment, inbox: inbox, began: began,
                writer: SnapshotWriter(environment: environment, position: position, observe: observe),
                loaded: loaded)
            defer { (position, loaded) = (intake.position, intake.loaded) }
            return try await intake.run()
        }
    }

    /// Requests lines, and has them read while they come.
    private static func streaming<Result>(
        _ route: Route, _ session: InterceptableSession, _ read: (SnapshotInbox) async throws -> Result
    ) async throws -> Result {
        let operation = SnapshotOperation(route, isCompressed: asksForCompression(session))
        let inbox = SnapshotInbox()
        let transfer = Task {
            do {
                try await session.stream(operation, into: inbox)
                inbox.end(nil)
            } catch {
                inbox.end(error)
            }
        }
        defer { transfer.cancel() }
        return try await withTaskCancellationHandler {
            try await read(inbox)
        } onCancel: {
            transfer.cancel()
        }
    }

    /// On one machine to compress and decompress takes longer than to hand over.
    private static func asksForCompression(_ session: InterceptableSession) -> Bool {
        !session.origin.isLoopback
    }
}

/// Asks for the lines of a snapshot, which are read as they come.
struct SnapshotOperation: DataOperation {
    let endpoint: Request.Target
    let headers: HeaderFields

    init(_ route: Route, isCompressed: Bool) {
        endpoint = .relative(route.canonicalURL)
        var headers: HeaderFields = ["Accept": "application/x-ndjson"]
        if !isCompressed { headers["Accept-Encoding"] = "identity" }
        self.headers = headers
    }

    /// The first line comes when a million others are sorted.
    var limits: TransferLimits? {
        TransferLimits(idle: .seconds(300), whole: .seconds(86_400), body: .max)
    }
}

// MARK: - For a dry run

extension SnapshotLoad {
    /// What a snapshot says of itself before it begins.
    struct Announcement: Sendable, Hashable {
        /// Bytes that will be received; `nil` if the server doesn't say how many there are.
        let bytes: Estimate?
    }

    /// What will be received of that number of bytes: it is right within a tenth, and they come compressed if requested so.
    static func received(of bytes: Int, isCompressed: Bool) -> Estimate {
        let bytes = Double(bytes), doubt = bytes * 0.1
        guard isCompressed else { return Estimate(bytes, margin: doubt) }
        let ratio = PlanDefaults.compressed
        return Estimate(bytes * ratio.value, margin: doubt * ratio.value)
            + Estimate(0, margin: bytes * ratio.margin)
    }

    /// What a sync will load as a snapshot: its first line is requested, the rest is not read. Of one that broke off, it is what is
    /// still to come.
    ///
    /// - Returns: `nil` if it will not be one, or the server says nothing of it.
    static func announcement(_ environment: SyncEnvironment) async throws -> Announcement? {
        guard try isDue(environment, environment.extensions) else { return nil }
        let router = environment.router
        if let position = try environment.store.loadPosition(), !position.url.isEmpty {
            let rest = router.snapshot(after: position.url, event: position.event)
            if let found = try await announcement(rest, environment) { return found }
        }
        return try await announcement(router.snapshot(), environment)
    }

    private static func announcement(
        _ route: Route, _ environment: SyncEnvironment
    ) async throws -> Announcement? {
        let session = environment.session
        do {
            guard case .head(_, _, let bytes)? = try await streaming(route, session, firstLine) else {
                return nil
            }
            return Announcement(
                bytes: bytes.map { received(of: $0, isCompressed: asksForCompression(session)) })
        } catch  where !(error is CancellationError) {
            // Then the sync looks at the lists, as planned.
            environment.logger.debug("The snapshot says nothing of itself: \(error)")
            return nil
        }
    }

    private static func firstLine(_ inbox: SnapshotInbox) async throws -> SnapshotLine? {
        var lines = SnapshotLines(), first: SnapshotLine?
        while first == nil, let bytes = try await inbox.next() {
            try lines.feed(bytes) { first = try first ?? SnapshotLine($0) }
        }
        return first
    }
}
