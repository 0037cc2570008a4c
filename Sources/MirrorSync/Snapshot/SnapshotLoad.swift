import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Takes in a server's snapshot (`snapshot` extension): a first sync as one streamed request.
///
/// What comes goes to the cache, then to the database, part by part, with the place up to which it went: a break, and the
/// end of this process, are followed by a request for the rest. Everything that makes it doubtful that what came is the
/// whole catalogue of one instant is an outcome of its own: the tree then looks at everything, and what is here is vouched
/// for by its ETags.
struct SnapshotLoad {
    enum Outcome: Sendable {
        /// Every canonical URL is here as it was at that event.
        case whole(Loaded)
        /// Something is, perhaps nothing.
        case doubtful(Loaded?, String)
    }

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
    }

    let environment: SyncEnvironment
    let observe: @Sendable (Write, WriteEffect) -> Void

    private var store: CatalogueStore { environment.store }

    /// So many breaks in a row, with nothing new between them, and the tree takes over.
    private static let patience = 3

    /// Whether there is anything to load: nothing is here yet, or a part of a snapshot.
    ///
    /// A whole one may have left no list here: those of the partner's own are not noted, and there may be no others.
    static func isDue(_ environment: SyncEnvironment, _ extensions: Set<String>) throws -> Bool {
        guard extensions.contains("snapshot"), !environment.originChanged, !environment.options.full else {
            return false
        }
        let store = environment.store
        return try !environment.hasLists && !store.isLoaded || store.loadPosition() != nil
    }

    /// - Throws: ``SyncError`` where the store can't be written; `CancellationError`.
    func run() async throws -> Outcome {
        do {
            var outcome = try await load()
            let isContested = try store.settleLoaded(run: environment.run)
            // Who loses a slug is asked for once more.
            if isContested, case .whole(let loaded) = outcome {
                outcome = .doubtful(loaded, "several objects claim a slug")
            }
            switch outcome {
            case .whole: try store.endLoading(isWhole: true)
            case .doubtful(_, let why):
                try store.endLoading(isWhole: false)
                environment.logger.info("The snapshot is not relied on: \(why)")
            }
            environment.report.note { $0.loading = nil }
            return outcome
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    private func load() async throws -> Outcome {
        var position = try store.loadPosition() ?? LoadPosition()
        var loaded = Loaded(event: position.event)
        var breaks = 0, restarts = 0
        while true {
            let before = position.url
            do {
                if try await take(&position, &loaded) { break }
            } catch let error as HTTPError where error.status == 409 {
                guard restarts == 0 else { return doubt(position, loaded, "it moves on too fast") }
                restarts += 1
                // What was there may be gone: what is here by now is only a beginning.
                position = LoadPosition(objects: position.objects, doubt: "it was begun anew")
                continue
            } catch let error as HTTPError where error.isWorthRetry || error.status == nil {
                environment.logger.debug("The snapshot broke off: \(error)")
            } catch let error as HTTPError {
                return doubt(position, loaded, error.message)
            } catch is BrokenStream {
                // Counted below, as every break is.
            } catch is SnapshotReading.Disorder {
                return doubt(position, loaded, "it is out of order")
            } catch is SnapshotLine.Broken {
                return doubt(position, loaded, "a line of it can't be read")
            } catch is SnapshotLines.TooLong {
                return doubt(position, loaded, "a line of it has no end")
            }
            breaks = position.url == before ? breaks + 1 : 0
            guard breaks < Self.patience else { return doubt(position, loaded, "it breaks off") }
        }
        loaded.created = Self.created(position)
        if let doubt = position.doubt { return .doubtful(loaded, doubt) }
        for kind in Kinds.standard.listed {
            guard let listed = loaded.listed[kind], try store.heldCount(kind) == listed else {
                return .doubtful(loaded, "it has other \(kind.plural) than are listed")
            }
        }
        return .whole(loaded)
    }

    private func doubt(_ position: LoadPosition, _ loaded: Loaded, _ why: String) -> Outcome {
        var loaded = loaded
        loaded.created = Self.created(position)
        return .doubtful(position.lines == 0 ? nil : loaded, why)
    }

    private static func created(_ position: LoadPosition) -> [Kind: Int] {
        Dictionary(
            uniqueKeysWithValues: position.objects.compactMap { kind, count in
                Kinds.standard[kind].map { ($0, count) }
            })
    }

    // MARK: - One answer

    /// Asks for what comes behind a position, and takes it in.
    ///
    /// - Returns: whether it came to its end; `false` if it broke off.
    private func take(_ position: inout LoadPosition, _ loaded: inout Loaded) async throws -> Bool {
        let isFirst = position.url.isEmpty
        let route = environment.router.snapshot(
            after: isFirst ? nil : position.url, event: isFirst ? nil : position.event)
        let inbox = SnapshotInbox(), began = environment.now()
        let transfer = Self.begin(route, into: inbox, environment.session)
        defer { transfer.cancel() }
        return try await withTaskCancellationHandler {
            var intake = SnapshotIntake(
                environment: environment, inbox: inbox, began: began, position: position, loaded: loaded,
                observe: observe
            )
            defer { (position, loaded) = (intake.position, intake.loaded) }
            return try await intake.run()
        } onCancel: {
            transfer.cancel()
        }
    }

    /// On one machine to compress and decompress takes longer than to hand over.
    static func asksForCompression(_ session: InterceptableSession) -> Bool { !session.origin.isLoopback }

    /// Begins to ask for lines, which come into the inbox until the task is cancelled.
    static func begin(_ route: Route, into inbox: SnapshotInbox, _ session: InterceptableSession) -> Task<
        Void, Never
    > {
        var request = Request(.relative(route.canonicalURL), headers: ["Accept": "application/x-ndjson"])
        if !asksForCompression(session) { request.headers["Accept-Encoding"] = "identity" }
        // The first line comes when a million others are sorted.
        request.limits = TransferLimits(idle: .seconds(300), whole: .seconds(86_400), body: .max)
        return Task { [request] in
            do {
                _ = try await session.stream(request, into: inbox)
                inbox.end(nil)
            } catch {
                inbox.end(error)
            }
        }
    }
}
