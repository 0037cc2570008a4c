import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Loads a server's snapshot (`snapshot` extension): a first sync with one streamed request.
///
/// The entries are stored in the cache, then in the database, part by part. Each part is stored together with its position, so
/// that after a broken connection, or in a later run, only the rest is requested. If it is uncertain that the snapshot is the
/// complete catalogue at one time, ``Loaded/inconsistency`` states why. The sync then walks the tree as usual; the stored ETags
/// vouch for the loaded objects.
///
/// The transfer fills the ``SnapshotInbox``. ``SnapshotIntake`` takes the bytes from it. ``SnapshotLines`` splits them, and
/// ``SnapshotReading`` reads each ``SnapshotLine`` into a ``SnapshotPart``, which the ``SnapshotWriter`` writes.
struct SnapshotLoad {
    /// The result of loading a snapshot.
    struct Loaded: Sendable {
        /// The position of the feed of events at the time of the snapshot; `nil` if the server states none.
        var event: String?
        /// The number of created objects, by kind.
        var created: [Kind: Int] = [:]
        /// When the server made the answer, in seconds since 1970.
        var date: Double?
        /// The time up to which the answer contains all changes; `nil` if the server doesn't state it.
        var end: Timestamp?
        /// The number of members of the partner's own lists.
        var listed: [Kind: Int] = [:]
        /// Why the mirror may not be complete as of `event`; `nil` if it is.
        var inconsistency: String?
    }

    let environment: SyncEnvironment
    let observe: @Sendable (Write, WriteEffect) -> Void

    private var store: CatalogueStore { environment.store }

    /// The number of broken answers in a row without a new line after which the sync walks the tree instead.
    private static let breakLimit = 3

    /// Whether a snapshot has to be loaded: nothing is stored yet, or a part of a snapshot.
    ///
    /// The store's lists alone don't decide it. A complete snapshot may leave none, since the partner's own lists are not stored
    /// with it, and there may be no others.
    static func isDue(_ environment: SyncEnvironment, _ extensions: Set<String>) throws -> Bool {
        let options = environment.options
        guard extensions.contains("snapshot"), !environment.originChanged, !options.full,
            environment.coverage.coversMirror
        else {
            return false
        }
        let store = environment.store
        return try !environment.hasLists && !store.isLoaded || store.loadPosition() != nil
    }

    /// Loads the snapshot, or the rest of it.
    ///
    /// - Returns: `nil` if it failed before any line was stored.
    /// - Throws: ``SyncError`` if the store can't be written; `CancellationError`.
    func run() async throws -> Loaded? {
        do {
            var position = try store.loadPosition() ?? LoadPosition()
            var loaded = Loaded(event: position.event)
            let failure = try await loadAnswers(&position, &loaded)
            for (kind, count) in position.objects {
                if let kind = environment.kinds[kind] { loaded.created[kind] = count }
            }
            loaded.inconsistency = try failure ?? position.inconsistency ?? inconsistency(loaded)
            // The sync requests the objects that lost their slug to a rival again.
            if try store.settleSlugsAfterLoading(run: environment.run) {
                loaded.inconsistency = loaded.inconsistency ?? "several objects claim a slug"
            }
            try store.endLoading(isComplete: loaded.inconsistency == nil)
            if let inconsistency = loaded.inconsistency {
                environment.logger.info(
                    "The snapshot may be incomplete, so the lists are requested too: \(inconsistency)")
            }
            environment.report.note { $0.loading = nil }
            return failure != nil && position.lines == 0 ? nil : loaded
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    private func inconsistency(_ loaded: Loaded) throws -> String? {
        try environment.kinds.listed.first { try loaded.listed[$0] != store.serverCount($0) }.map {
            "its \($0.plural) differ from those that it lists"
        }
    }

    /// Requests and processes answers until one is complete.
    ///
    /// - Returns: the reason for giving up; `nil` if an answer was complete.
    private func loadAnswers(_ position: inout LoadPosition, _ loaded: inout Loaded) async throws -> String? {
        var breaks = 0, restarts = 0
        while true {
            let before = position.url
            do {
                if try await loadAnswer(&position, &loaded) { return nil }
            } catch let error as HTTPError where error.status == 409 {
                guard restarts == 0 else { return "the catalogue changes too often" }
                restarts += 1
                // Objects that are already stored may have been deleted on the server meanwhile.
                (position.event, position.url, position.lines) = (nil, "", 0)
                position.inconsistency = "it was restarted"
                continue
            } catch let error as HTTPError where error.isWorthRetry || error.status == nil {
                environment.logger.debug("The snapshot ended early: \(error)")
            } catch let error as HTTPError {
                return error.message
            } catch let failure as SnapshotFailure {
                return failure.rawValue
            } catch is BrokenStream {
                // Counted below.
            }
            breaks = position.url == before ? breaks + 1 : 0
            guard breaks < Self.breakLimit else { return "it ended early several times" }
        }
    }

    /// Requests and processes the entries after a position.
    ///
    /// - Returns: whether the answer is complete; `false` if it ended early.
    private func loadAnswer(_ position: inout LoadPosition, _ loaded: inout Loaded) async throws -> Bool {
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

    /// Requests lines, and calls `read` while they arrive.
    private static func streaming<Result>(
        _ route: Route, _ session: InterceptableSession, _ read: (SnapshotInbox) async throws -> Result
    ) async throws -> Result {
        let operation = SnapshotOperation(route)
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
}

/// The streamed request for a snapshot.
struct SnapshotOperation: DataOperation {
    let endpoint: Request.Target
    let headers: HeaderFields = ["Accept": "application/x-ndjson"]

    init(_ route: Route) { endpoint = .relative(route.canonicalURL) }

    /// The idle limit is long because a server sorts all entries, up to a million, before it sends the first line.
    var limits: TransferLimits? {
        TransferLimits(idle: .seconds(300), whole: .seconds(86_400), body: .max)
    }
}

// MARK: - For a dry run

extension SnapshotLoad {
    /// The contents of a snapshot's first line.
    struct Announcement: Sendable, Hashable {
        /// The bytes that will be received; `nil` if the server doesn't state the size.
        let bytes: Estimate?
    }

    /// Estimates the bytes on the wire from the announced bytes, which are accurate to 10 %, and the compression.
    static func received(of bytes: Int) -> Estimate {
        let bytes = Double(bytes), margin = bytes * 0.1, ratio = PlanDefaults.compressed
        return Estimate(bytes * ratio.value, margin: margin * ratio.value)
            + Estimate(0, margin: bytes * ratio.margin)
    }

    /// Requests the first line of the snapshot that a sync will load, or of the rest of it; ends the transfer after that line.
    ///
    /// - Returns: `nil` if the sync will not load one, or the first line can't be read.
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
            return Announcement(bytes: bytes.map(received))
        } catch  where !(error is CancellationError) {
            // The plan then assumes that the sync requests the lists.
            environment.logger.debug("The snapshot's first line could not be read: \(error)")
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
