import Catalogue
import MirrorHTTP
import MirrorStore

/// Asks for the lists under some shows, artists, albums and locations where no partner's list tells whether they changed.
///
/// Up to 50 of a kind, chosen at random among those that are here, on the condition that they changed: what a plan learns by
/// it holds for all of them where all could be asked, and is an estimate else.
struct PlanListSampling: Sendable {
    let environment: SyncEnvironment
    let plan: PlanRecorder

    private var store: CatalogueStore { environment.store }

    /// - Throws: ``SyncError``, ``StoreError``, `CancellationError`. What the server doesn't answer stays undecided.
    func run() async throws {
        for (kind, lists) in plan.current.undecidedOwners.sorted(by: { $0.key.name < $1.key.name }) {
            let looks = try await environment.looks(at: lists.sample.chosen) { id in
                let owner = Owner(kind, id)
                return (owner, try await look(at: owner))
            }
            for (owner, look) in looks.sorted(by: { $0.0.id < $1.0.id }) {
                plan.found(look, under: owner)
            }
        }
    }

    /// What asking for the lists under an object told.
    struct Look: Sendable {
        /// Lists of which is known whether they are others than what is stored.
        var decided = 1
        var hasOtherArtworks = false
        /// Lists of pictures that are others.
        var otherPictures: [ImageRole] = []
        var hasOtherDocuments = false
    }

    private func look(at owner: Owner) async throws -> Look {
        switch owner.kind {
        case .artist: return Look(hasOtherDocuments: try await hasOtherDocuments(owner))
        case .show:
            var look = Look(decided: 2, hasOtherArtworks: try await hasOtherArtworks(owner))
            look.hasOtherDocuments = try await hasOtherDocuments(owner)
            for role in [ImageRole.installation, .cover] {
                guard let isOther = try await hasOtherPictures(owner.id, role) else { continue }
                look.decided += 1
                if isOther { look.otherPictures.append(role) }
            }
            return look
        default: return Look(hasOtherArtworks: try await hasOtherArtworks(owner))
        }
    }

    private func hasOtherDocuments(_ owner: Owner) async throws -> Bool {
        let list = SubList(.documents, of: OwnerLists(owner, partner: environment.partnerID), environment)
        let state = try store.listState(list.name.url)
        do {
            guard let (ids, answer) = try await list.requestAgain(known: state?.known) else { return false }
            try await environment.applier.submit(.members(list: answer, ids: ids))
            return Set(try store.storedDocuments(of: owner).map { ExactText($0.id) })
                != Set(ids.map(ExactText.init))
        } catch let error as HTTPError where error.isNotOffered {
            return false
        }
    }

    private func hasOtherArtworks(_ owner: Owner) async throws -> Bool {
        let list = SubList(.artworks, of: OwnerLists(owner, partner: environment.partnerID), environment)
        let state = try store.listState(list.name.url)
        guard let (ids, answer) = try await list.requestAgain(known: state?.known) else {
            return state?.pending == true
        }
        try await environment.applier.submit(.members(list: answer, ids: ids))
        return try store.members(of: owner).map(ExactText.init) != ids.map(ExactText.init)
    }

    /// - Returns: `nil` where the first page is as it was, and is not the only one.
    private func hasOtherPictures(_ show: String, _ role: ImageRole) async throws -> Bool? {
        let route = environment.router.list(role.list ?? .cover, of: Owner(.show, show))
        let state = try store.listState(route.listURL ?? "")
        let known = state?.known
        do {
            let asked = FetchOperation(route, known: known, cache: .bypass)
            let stored = try store.storedImages(of: Owner(.show, show), role: role)
            let isAlone = stored.count < Router.pageSize
            guard case .body(let response) = try await environment.send(asked) else {
                return isAlone ? false : nil
            }
            let isOther = known != nil && response.etag != nil && response.etag != known
            guard case .array(let values) = try JSONValue(parsing: response.body) else { return true }
            var warnings: [FieldWarning] = []
            let entries = try values.compactMap(\.objectValue).map { try ImageEntry($0, warnings: &warnings) }
            let page = entries.map(StoredImage.init)
            guard page.count >= Router.pageSize else {
                let list = ListName(
                    url: route.listURL ?? "", owner: Owner(.show, show), name: role.list?.rawValue ?? "")
                try await environment.applier.submit(
                    .showImages(
                        show: show, role: role, images: entries.map { ImageRecord($0) },
                        list: ListAnswer(list: list, etag: nil, date: nil)))
                return isOther || stored != page
            }
            return !isOther && Array(stored.prefix(page.count)) == page ? nil : true
        } catch let error as HTTPError where error.isNotOffered {
            return false
        }
    }
}
