import Catalogue
import MirrorHTTP
import MirrorStore

/// Reads the server's version of an album.
extension AlbumPush {
    /// Compares the server's version with the version that an edit is based on. If they differ, the conflict table decides,
    /// and its decision is stored.
    ///
    /// - Returns: the album with the edits that still have to be pushed; `nil` if it is gone.
    /// - Throws: ``SyncProblem`` if a cache between this machine and the server answers with another version. That version may
    ///   be older than the edit's base, so nothing is decided by it.
    func reconcile(_ id: String) async throws -> PendingAlbum? {
        let route = router.object(.album, id)
        do {
            let known = try store.pendingAlbum(id)?.baseETag
            let answer = try await environment.send(
                ObjectOperation(route, known: known, cache: .bypass, isReload: environment.options.full))
            if let json = answer.json {
                guard !answer.isFromCache else { throw SyncProblem.cachedAnswer }
                try apply(.object(record(json, etag: answer.etag, of: id)))
            }
        } catch let error as HTTPError where error.code == .notFound {
            try apply(
                .tombstone(kind: .album, id: id, evidence: .answered(status: 404, url: route.canonicalURL)))
            environment.report.note { _ = $0.gone.insert(ExactText(id)) }
        }
        return try store.pendingAlbum(id)
    }

    /// Applies a change that the stored list of albums doesn't have, and marks that list as unclean: should the server go back
    /// to the listed version, the list's old ETag must not vouch for the album.
    private func apply(_ write: Write) throws {
        _ = try store.apply([.markListNotClean(kind: .album), write], run: environment.run)
    }

    func record(_ json: JSONObject, etag: String?, of id: String) throws -> ObjectRecord {
        ObjectRecord(.album, try Album.read(json, id: id, report: environment.report), etag: etag)
    }

    /// Finds the album that a creation made whose answer was lost.
    ///
    /// It is in the server's list, was not in the mirror before the creation was sent, and has the name, description and
    /// privacy that were sent.
    ///
    /// - Throws: ``SyncProblem`` if there are several such albums.
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
                "The server's \(name.title) has elements without a usable id (\(reader.unusable.summary)), so it is unclear whether the album was made there. Report it to its owner. The next sync tries again."
            )
        }
        var matches: [ObjectRecord] = []
        for id in try store.albumsPossiblyCreated(by: sent, among: ids) {
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
                "The server has \(matches.count) new albums that equal the one that was made locally (\(ids)), and it is unclear which of them it is. Delete or rename all but one on the server."
            )
        }
        return matches.first
    }
}

/// A problem of one object, or of a command, that a person has to solve.
struct SyncProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }

    /// The server's version of an album could not be read, because a cache answered.
    static let cachedAnswer = SyncProblem(
        "A cache between this machine and the server answered with another version of the album, which may be old. The next sync tries again."
    )

    /// An album changed on the server each time that it was pushed.
    static let changedRepeatedly = SyncProblem(
        "The album changed on the server while it was being pushed, twice. The next sync tries again.")
}
