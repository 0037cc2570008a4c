import Catalogue
import MirrorHTTP
import MirrorStore

/// Pushes one album: its own fields, then artworks added, then artworks removed.
///
/// Fields are pushed over the version that was weighed just before (`If-Match`) and over no other. Artworks are single
/// edits, each pushed for itself.
struct AlbumPush: Sendable {
    let exchange: AlbumExchange
    let album: PendingAlbum

    init(_ environment: SyncEnvironment, album: PendingAlbum) {
        exchange = AlbumExchange(environment: environment)
        self.album = album
    }

    private var environment: SyncEnvironment { exchange.environment }
    private var store: CatalogueStore { exchange.store }
    private var router: Router { exchange.router }

    /// What would be written, were the album known to the server under its present id.
    var operations: [WriteOperation] {
        let fields = album.acknowledged ? updateRoute(album) : createRoute(album)
        return (album.fieldsChanged ? [WriteOperation(fields)] : [])
            + AlbumArtworkPush(exchange: exchange, album: album).operations
    }

    /// Requests beside those: the one that asks for the server's version, or for what a lost creation made.
    var questions: Int { album.fieldsChanged && (album.acknowledged || album.sent != nil) ? 1 : 0 }

    /// - Parameter report: called for every edit that was not taken.
    /// - Throws: what stops other albums, too.
    func run(report: (any Error) -> Void) async throws {
        do {
            guard let id = try await pushFields(report: report) else { return }
            try await pushArtworks(of: id, report: report)
        } catch let error as CancellationError {
            throw error
        } catch let error as SyncError {
            throw error
        } catch let error as StoreError {
            throw SyncError(error)
        } catch {
            report(error)
        }
    }

    // MARK: - Fields

    /// - Returns: the album's id on the server; `nil` if it isn't there, or was not made.
    private func pushFields(report: (any Error) -> Void) async throws -> String? {
        var id = album.id
        if !album.acknowledged {
            guard let made = try await create() else { return nil }
            id = made
        }
        guard let pending = try store.pendingAlbum(id) else { return nil }
        // What was edited since a creation was sent isn't on the server yet.
        guard pending.fieldsChanged, !pending.isDeleted, album.acknowledged || album.sent != nil else {
            return id
        }
        do {
            return try await update(id) ? id : nil
        } catch let error as HTTPError where PushVerdict(error) == .refused {
            report(error)
            return id
        }
    }

    /// - Returns: whether the album is still there.
    private func update(_ id: String) async throws -> Bool {
        for isLast in [false, true] {
            guard let pending = try await exchange.weigh(id) else { return false }
            guard pending.fieldsChanged, !pending.isDeleted else { return true }
            do {
                let response = try await environment.send(WriteOperation(updateRoute(pending)))
                let record = try await answer(response, of: id)
                try store.acknowledgeAlbum(id, with: record, edit: pending.edit, run: environment.run)
                return true
            } catch let error as HTTPError {
                switch PushVerdict(error) {
                case .outdated, .gone: continue
                // Whether it arrived, the album itself tells.
                case .unanswered where error.status == nil && !isLast: continue
                case .refused:
                    try store.failAlbum(id, reason: error.message, edit: pending.edit)
                    throw error
                case .temporary, .unanswered: throw error
                }
            }
        }
        throw SyncProblem.restless
    }

    /// The album as the server has it now; asked for where the answer to a write doesn't say.
    private func answer(_ response: Response, of id: String) async throws -> ObjectRecord {
        if let record = try? exchange.record(response, of: id) { return record }
        let fetched = try await environment.send(FetchOperation(router.object(.album, id), cache: .bypass))
        guard case .body(let response) = fetched, !fetched.isKept else {
            throw SyncProblem("The server took the album, and didn't say how it is now. Sync once more.")
        }
        return try exchange.record(response, of: id)
    }

    // MARK: - Creation

    /// - Returns: the id that the server gave it; `nil` if it was deleted here meanwhile.
    private func create() async throws -> String? {
        if let sent = album.sent, let found = try await exchange.find(sent) {
            return try adopt(found, edit: sent.edit)
        }
        guard let pending = try store.willCreateAlbum(album.id), let sent = pending.sent, !pending.isDeleted
        else {
            return nil
        }
        do {
            let response = try await environment.send(WriteOperation(createRoute(pending)))
            return try adopt(try made(response), edit: pending.edit)
        } catch let error as HTTPError {
            switch PushVerdict(error) {
            case .unanswered:
                // The album may be there all the same.
                guard let found = try await exchange.find(sent) else { throw error }
                return try adopt(found, edit: sent.edit)
            case .temporary: throw error
            case .refused, .gone, .outdated:
                try store.failAlbum(album.id, reason: error.message, edit: pending.edit)
                throw error
            }
        }
    }

    /// - Throws: ``HTTPError`` without a status for an answer that is no album: what came of the request is unknown.
    private func made(_ response: Response) throws -> ObjectRecord {
        var warnings: [FieldWarning] = []
        do {
            let body = try Album(response.jsonObject(), warnings: &warnings)
            return ObjectRecord(.album, body, etag: response.etag)
        } catch let error as PayloadError {
            throw HTTPError(.badResponse, "The server's answer is no album: \(error).", cause: error)
        }
    }

    private func adopt(_ record: ObjectRecord, edit: Int) throws -> String {
        try store.acknowledgeAlbum(album.id, with: record, edit: edit, run: environment.run)
        environment.report.note { _ = $0.pushed.insert(record.id) }
        return record.id
    }

    // MARK: - Artworks

    private func pushArtworks(of id: String, report: (any Error) -> Void) async throws {
        guard let pending = try store.pendingAlbum(id), pending.acknowledged, !pending.isDeleted else {
            return
        }
        try await AlbumArtworkPush(exchange: exchange, album: pending).run(report: report)
    }

    // MARK: - Routes

    private func fields(_ album: PendingAlbum) -> JSONObject {
        var object: JSONObject = [:]
        object["name"] = album.fields.name.map(JSONValue.string)
        object["private"] = album.fields.isPrivate.map(JSONValue.bool)
        object["description"] = album.fields.description.map(JSONValue.string)
        if album.lostDescription { object["description"] = .null }
        return object
    }

    private func updateRoute(_ album: PendingAlbum) -> Route {
        router.updateAlbum(album.id, fields(album), ifMatch: album.baseETag)
    }

    private func createRoute(_ album: PendingAlbum) -> Route {
        router.createAlbum(fields(album), idempotencyKey: album.idempotencyKey ?? album.id)
    }
}
