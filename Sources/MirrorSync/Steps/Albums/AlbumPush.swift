import MirrorHTTP
import MirrorStore
import PartnerAPI

/// Pushes one album: its own fields, then artworks added, then artworks removed.
struct AlbumPush: Sendable {
    let scope: PartnerScope
    let album: PendingAlbum

    private var environment: SyncEnvironment { scope.environment }
    private var store: CatalogueStore { environment.store }

    /// What would be sent, were the album known to the server under its present id.
    var operations: [WriteOperation] {
        (album.fieldsChanged ? [WriteOperation(fieldsRoute)] : [])
            + memberRoutes(of: album.id).map { WriteOperation($0.route) }
    }

    func run() async throws {
        var id = album.id
        do {
            if album.fieldsChanged {
                let record = try await pushFields()
                try store.acknowledgeAlbum(album.id, with: record, edit: album.edit, run: environment.run)
                id = record.id
            }
            for member in memberRoutes(of: id) {
                do {
                    _ = try await environment.send(WriteOperation(member.route))
                } catch let error as HTTPError where error.status == 404 && !member.isPresent {
                    // Gone already is as good as removed.
                }
                try store.acknowledgeAlbumArtwork(member.artwork, in: id, present: member.isPresent)
            }
        } catch let error as HTTPError {
            if let status = error.status, Self.isFinal(status) {
                try store.failAlbum(id, reason: error.message)
            }
            throw error
        }
    }

    /// Whether a server that answers so refuses for good.
    private static func isFinal(_ status: Int) -> Bool {
        (400..<500).contains(status) && ![401, 408, 425, 429].contains(status)
    }

    private var fields: JSONObject {
        var object: JSONObject = [:]
        object["name"] = album.name.map(JSONValue.string)
        object["private"] = album.isPrivate.map(JSONValue.bool)
        object["description"] = album.description.map(JSONValue.string)
        return object
    }

    private var fieldsRoute: Route {
        album.acknowledged
            ? scope.router.updateAlbum(album.id, fields)
            : scope.router.createAlbum(fields, idempotencyKey: album.idempotencyKey ?? album.id)
    }

    private func memberRoutes(of id: String) -> [(route: Route, artwork: String, isPresent: Bool)] {
        album.added.map { (scope.router.addArtwork($0, toAlbum: id), $0, true) }
            + album.removed.map { (scope.router.removeArtwork($0, fromAlbum: id), $0, false) }
    }

    private func pushFields() async throws -> ObjectRecord {
        do {
            return try record(try await environment.send(WriteOperation(fieldsRoute)))
        } catch let error as HTTPError where !album.acknowledged && error.status == nil {
            // The answer never came: the album may be there all the same.
            guard let adopted = try await adopt() else { throw error }
            return adopted
        }
    }

    private func record(_ response: Response) throws -> ObjectRecord {
        var warnings: [FieldWarning] = []
        let body = try Album(response.jsonObject(), warnings: &warnings)
        return ObjectRecord(.album, body, etag: response.etag)
    }

    /// The one album of the server's list that this mirror doesn't know and that is equal in name, description and privacy.
    private func adopt() async throws -> ObjectRecord? {
        let listed = try await environment.send(FetchOperation(scope.router.list(.albums), cache: .bypass))
        guard case .body(let response) = listed else { return nil }
        var ids: [String] = []
        var intake = ListIntake(limit: environment.options.maxObjects, what: "albums")
        try intake.scan(response) { members, _ in ids += members.map(\.id) }
        let known = try store.acknowledgedAlbumIDs()
        var matches: [ObjectRecord] = []
        for id in ids where !known.contains(id) {
            let fetched = try await environment.send(FetchOperation(scope.router.album(id), cache: .noCache))
            guard case .body(let response) = fetched else { continue }
            var warnings: [FieldWarning] = []
            let body = try Album(response.jsonObject(), warnings: &warnings)
            guard body.name == album.name, body.description == album.description,
                (body.isPrivate ?? false) == (album.isPrivate ?? false)
            else { continue }
            matches.append(ObjectRecord(.album, body, etag: response.etag))
        }
        guard matches.count <= 1 else {
            throw SyncProblem(
                "The server has \(matches.count) new albums called like the one that was made here, and it is unclear which is which. Delete or rename all but one there."
            )
        }
        return matches.first
    }
}

/// A problem of one object that a person has to look at.
struct SyncProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
