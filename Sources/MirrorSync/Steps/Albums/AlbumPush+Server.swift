import Catalogue
import MirrorHTTP
import MirrorStore

/// What the server has of an album.
extension AlbumPush {
    /// Compares the server's version with the one that an edit is based on; if they differ, the conflict table decides, and its
    /// decision is stored.
    ///
    /// - Returns: the album with what is still to be pushed; `nil` if it is gone.
    /// - Throws: ``SyncProblem`` if something on the way answers with another version that it had kept: nothing is decided by
    ///   what may be older than the edit's base.
    func reconcile(_ id: String) async throws -> PendingAlbum? {
        let route = router.object(.album, id)
        do {
            let known = try store.pendingAlbum(id)?.baseETag
            let answer = try await environment.send(
                ObjectOperation(route, known: known, cache: .bypass, isReload: environment.options.full))
            if let json = answer.json {
                guard !answer.isKept else { throw SyncProblem.kept }
                try apply(.object(record(json, etag: answer.etag, of: id)))
            }
        } catch let error as HTTPError where error.code == .notFound {
            try apply(.tombstone(kind: .album, id: id, evidence: "404 from \(route.canonicalURL)"))
            environment.report.note { _ = $0.gone.insert(ExactText(id)) }
        }
        return try store.pendingAlbum(id)
    }

    /// What comes past the list of albums: should the server go back to what the list said, its ETag doesn't vouch for it.
    private func apply(_ write: Write) throws {
        _ = try store.apply([.unclean(kind: .album), write], run: environment.run)
    }

    func record(_ json: JSONObject, etag: String?, of id: String) throws -> ObjectRecord {
        ObjectRecord(.album, try Album.read(json, id: id, report: environment.report), etag: etag)
    }

    /// The one album of the server's list that a lost creation can have made: unknown here before it was sent, and equal in
    /// name, description and privacy to what was sent.
    ///
    /// - Throws: ``SyncProblem`` if there are several.
    func findCreated(_ sent: SentCreation) async throws -> ObjectRecord? {
        let listed = try await environment.send(
            ListOperation(router.list(.album), cache: .bypass, isReload: environment.options.full))
        guard case .body(let response) = listed else { return nil }
        var ids: [String] = []
        let name = ObjectListing(environment: environment, kind: .album).name
        var reader = ListReader(environment, list: name)
        try reader.read(response) { members, _ in ids += members.map(\.id) }
        guard reader.unusable.isEmpty else {
            throw SyncProblem(
                "The server's \(name.title) has elements without a usable id (\(reader.unusable.text)), so it is unclear whether the album was made there. Report it to its owner. The next sync tries again."
            )
        }
        var matches: [ObjectRecord] = []
        for id in try store.albumsUnknown(before: sent, among: ids) {
            do {
                let answer = try await environment.send(
                    ObjectOperation(router.object(.album, id), cache: .bypass))
                guard let json = answer.json else { continue }
                let record = try record(json, etag: answer.etag, of: id)
                if AlbumFields(record) == sent.fields { matches.append(record) }
            } catch let error as HTTPError where error.code == .notFound {
                continue
            }
        }
        guard matches.count <= 1 else {
            let ids = matches.map(\.id).joined(separator: ", ")
            throw SyncProblem(
                "The server has \(matches.count) new albums like the one that was made here (\(ids)), and it is unclear which is which. Delete or rename all but one there."
            )
        }
        return matches.first
    }
}

/// A problem of one object that a person has to look at.
struct SyncProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }

    /// An album of which only a cache on the way told something.
    static let kept = SyncProblem(
        "Something on the way answered with another version of the album that it had kept. The next sync tries again."
    )

    /// An album that others change faster than it can be pushed.
    static let restless = SyncProblem(
        "The album changed on the server while it was being pushed, twice. The next sync tries again.")
}
