import Catalogue
import MirrorHTTP
import MirrorStore

/// Pushes one album: its own fields, then artworks added, then artworks removed; or its deletion.
///
/// Before fields or a deletion are sent, the server's present version is compared with the one that the edit is based on
/// (``reconcile(_:)``); they are pushed over that version (`If-Match`) and over no other. Artworks are single edits, each
/// pushed for itself.
struct AlbumPush: Sendable {
    let environment: SyncEnvironment
    let album: PendingAlbum

    var store: CatalogueStore { environment.store }
    var router: Router { environment.router }

    /// What would be written, were the album known to the server under its present id.
    var operations: [WriteOperation] {
        let fields = album.acknowledged ? updateRoute(album) : createRoute(album)
        let routes =
            album.isDeleted
            ? [router.deleteAlbum(album.id, ifMatch: album.baseETag)]
            : (album.fieldsChanged ? [fields] : []) + artworkEdits(album).map(\.route)
        return routes.map(WriteOperation.init)
    }

    /// Requests beside those: the one for the server's version, or for what a lost creation made.
    var questions: Int {
        album.isDeleted || album.fieldsChanged && (album.acknowledged || album.sent != nil) ? 1 : 0
    }

    /// - Parameter report: called for every edit that was not taken.
    /// - Throws: what ended it.
    func run(report: (any Error) -> Void) async throws {
        if album.isDeleted { return try await delete() }
        guard let id = try await pushFields(report), let pending = try store.pendingAlbum(id),
            pending.acknowledged, !pending.isDeleted
        else { return }
        try await pushArtworks(of: pending, report)
    }

    // MARK: - Fields

    /// - Returns: the album's id on the server; `nil` if it isn't there, or was not made.
    private func pushFields(_ report: (any Error) -> Void) async throws -> String? {
        guard let id = try await album.acknowledged ? album.id : create(),
            let pending = try store.pendingAlbum(id)
        else { return nil }
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
            guard let pending = try await reconcile(id) else { return false }
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

    /// The album as the server has it now; requested where the answer to a write doesn't say.
    private func answer(_ response: Response, of id: String) async throws -> ObjectRecord {
        if let json = try? response.jsonObject(),
            let record = try? record(json, etag: response.etag, of: id)
        {
            return record
        }
        let present = try await environment.send(ObjectOperation(router.object(.album, id), cache: .bypass))
        guard let json = present.json, !present.isKept else {
            throw SyncProblem("The server took the album, and didn't say how it is now. Sync once more.")
        }
        return try record(json, etag: present.etag, of: id)
    }

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

    // MARK: - Creation

    /// - Returns: the id that the server gave it; `nil` if it was deleted here meanwhile.
    private func create() async throws -> String? {
        if let sent = album.sent, let found = try await findCreated(sent) {
            return try adopt(found, edit: sent.edit)
        }
        guard let pending = try store.willCreateAlbum(album.id), let sent = pending.sent, !pending.isDeleted
        else {
            return nil
        }
        do {
            let response = try await environment.send(WriteOperation(createRoute(pending)))
            return try adopt(try created(response), edit: pending.edit)
        } catch let error as HTTPError {
            switch PushVerdict(error) {
            case .unanswered:
                // The album may be there all the same.
                guard let found = try await findCreated(sent) else { throw error }
                return try adopt(found, edit: sent.edit)
            case .temporary: throw error
            case .refused, .gone, .outdated:
                try store.failAlbum(album.id, reason: error.message, edit: pending.edit)
                throw error
            }
        }
    }

    /// - Throws: ``HTTPError`` without a status for an answer that is no album: what came of the request is unknown.
    private func created(_ response: Response) throws -> ObjectRecord {
        do {
            return ObjectRecord(.album, try Album(response.jsonObject()), etag: response.etag)
        } catch let error as PayloadError {
            throw HTTPError(.badResponse, "The server's answer is no album: \(error).", cause: error)
        }
    }

    private func adopt(_ record: ObjectRecord, edit: Int) throws -> String {
        try store.acknowledgeAlbum(album.id, with: record, edit: edit, run: environment.run)
        environment.report.note { _ = $0.pushed.insert(record.id) }
        return record.id
    }

    private func createRoute(_ album: PendingAlbum) -> Route {
        router.createAlbum(fields(album), idempotencyKey: album.idempotencyKey ?? album.id)
    }

    // MARK: - Deletion

    /// Deletes the album on the server, unless the conflict table says that the server's version is to stay.
    private func delete() async throws {
        guard let id = try await idOnServer() else { return }
        for _ in 0..<2 {
            guard let pending = try await reconcile(id), pending.isDeleted else { return }
            do {
                let route = router.deleteAlbum(id, ifMatch: pending.baseETag)
                _ = try await environment.send(WriteOperation(route))
            } catch let error as HTTPError {
                switch PushVerdict(error) {
                case .gone: break
                case .outdated: continue
                case .refused:
                    try store.failAlbumDeletion(id, reason: error.message)
                    throw error
                case .temporary, .unanswered: throw error
                }
            }
            try store.acknowledgeAlbumDeletion(id, run: environment.run)
            environment.report.note { _ = $0.gone.insert(ExactText(id)) }
            return
        }
        throw SyncProblem.restless
    }

    /// The album's id; of one whose creation was sent and never answered, that of what it made. `nil` if it made nothing.
    private func idOnServer() async throws -> String? {
        guard !album.acknowledged else { return album.id }
        guard let sent = album.sent, let found = try await findCreated(sent) else {
            try store.acknowledgeAlbumDeletion(album.id, run: environment.run)
            return nil
        }
        // An edit came since it was sent, the deletion: that is what is pushed now.
        try store.acknowledgeAlbum(album.id, with: found, edit: sent.edit, run: environment.run)
        return found.id
    }
}
