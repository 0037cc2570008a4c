import Catalogue
import MirrorHTTP
import MirrorStore

/// Pushes one album: its fields, then added artworks, then removed artworks; or its deletion.
///
/// Before fields or a deletion are sent, the server's present version is compared with the version that the edit is based on
/// (``reconcile(_:)``). `If-Match` makes sure that no other version is overwritten. Each artwork edit is a request of its own.
struct AlbumPush: Sendable {
    let environment: SyncEnvironment
    let album: PendingAlbum

    var store: CatalogueStore { environment.store }
    var router: Router { environment.router }

    /// The writes, as if the server knew the album under its present id.
    var operations: [WriteOperation] {
        let fields = album.acknowledged ? updateRoute(album) : createRoute(album)
        let routes =
            album.isDeleted
            ? [router.deleteAlbum(album.id, ifMatch: album.baseETag)]
            : (album.fieldsChanged ? [fields] : []) + artworkEdits(album).map(\.route)
        return routes.map(WriteOperation.init)
    }

    /// The number of reads before the writes: for the server's version, or for the album that a lost creation made.
    var questions: Int {
        album.isDeleted || album.fieldsChanged && (album.acknowledged || album.sent != nil) ? 1 : 0
    }

    /// Pushes the album's edits.
    ///
    /// - Parameter report: called for every edit that the server did not accept.
    /// - Throws: the error that ended the push.
    func run(report: (any Error) -> Void) async throws {
        if album.isDeleted { return try await delete() }
        guard let id = try await pushFields(report), let pending = try store.pendingAlbum(id),
            pending.acknowledged, !pending.isDeleted
        else { return }
        try await pushArtworks(of: pending, report)
    }

    // MARK: - Fields

    /// - Returns: the album's id on the server; `nil` if it doesn't exist there.
    private func pushFields(_ report: (any Error) -> Void) async throws -> String? {
        guard let id = try await album.acknowledged ? album.id : create(),
            let pending = try store.pendingAlbum(id)
        else { return nil }
        // A creation that was made just now contains all fields. One that was sent by an earlier run may lack later edits.
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

    /// - Returns: whether the album still exists on the server.
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
                // The next comparison with the server's version shows whether the write arrived.
                case .unanswered where error.status == nil && !isLast: continue
                case .refused:
                    try store.failAlbum(id, reason: error.message, edit: pending.edit)
                    throw error
                case .temporary, .unanswered: throw error
                }
            }
        }
        throw SyncProblem.changedRepeatedly
    }

    /// The server's version after a write; requested if the answer to the write doesn't contain it.
    private func answer(_ response: Response, of id: String) async throws -> ObjectRecord {
        if let json = try? response.jsonObject(),
            let record = try? record(json, etag: response.etag, of: id)
        {
            return record
        }
        let present = try await environment.send(ObjectOperation(router.object(.album, id), cache: .bypass))
        guard let json = present.json, !present.isKept else {
            throw SyncProblem(
                "The server accepted the album's edits, but its new version could not be read. Run the sync again."
            )
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

    /// Creates the album on the server, unless an earlier run has already created it.
    ///
    /// - Returns: the id that the server gave it; `nil` if it was deleted locally meanwhile.
    private func create() async throws -> String? {
        if let sent = album.sent, let found = try await findCreated(sent) {
            return try adopt(found, edit: sent.edit)
        }
        guard let pending = try store.recordAlbumCreation(album.id), let sent = pending.sent,
            !pending.isDeleted
        else {
            return nil
        }
        do {
            let response = try await environment.send(WriteOperation(createRoute(pending)))
            return try adopt(try created(response), edit: pending.edit)
        } catch let error as HTTPError {
            switch PushVerdict(error) {
            case .unanswered:
                // The server may have created the album nevertheless.
                guard let found = try await findCreated(sent) else { throw error }
                return try adopt(found, edit: sent.edit)
            case .temporary: throw error
            case .refused, .gone, .outdated:
                try store.failAlbum(album.id, reason: error.message, edit: pending.edit)
                throw error
            }
        }
    }

    /// - Throws: ``HTTPError`` without a status if the answer is no album. Then it is unknown whether the album was created.
    private func created(_ response: Response) throws -> ObjectRecord {
        do {
            return ObjectRecord(.album, try Album(response.jsonObject()), etag: response.etag)
        } catch let error as PayloadError {
            throw HTTPError(.badResponse, "The server's answer is not an album: \(error).", cause: error)
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

    /// Deletes the album on the server, unless the conflict table decides that the server's version stays.
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
        throw SyncProblem.changedRepeatedly
    }

    /// The album's id on the server. If its creation was sent and never answered, that is the id of the album it created; `nil`
    /// if it created none.
    private func idOnServer() async throws -> String? {
        guard !album.acknowledged else { return album.id }
        guard let sent = album.sent, let found = try await findCreated(sent) else {
            try store.acknowledgeAlbumDeletion(album.id, run: environment.run)
            return nil
        }
        // The deletion is a later edit than the creation, so it still waits to be pushed.
        try store.acknowledgeAlbum(album.id, with: found, edit: sent.edit, run: environment.run)
        return found.id
    }
}
