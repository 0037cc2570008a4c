import MirrorHTTP
import MirrorStore
import PartnerAPI

/// Asks for the lists under some shows, artists, albums and locations where no partner's list tells whether they changed.
///
/// Up to 50 of a kind, chosen at random among those that are here, on the condition that they changed: what a plan learns by
/// it holds for all of them where all could be asked, and is an estimate else.
struct PlanListSampling: Sendable {
    let scope: PartnerScope
    let plan: PlanRecorder

    private var environment: SyncEnvironment { scope.environment }
    private var store: CatalogueStore { environment.store }

    /// - Throws: ``SyncError``, ``StoreError``, `CancellationError`. What the server doesn't answer stays undecided.
    func run() async throws {
        for (kind, lists) in plan.current.undecidedOwners.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let looks = try await environment.looks(at: lists.sample.chosen) { id in
                let owner = Owner(kind, id)
                return (owner, try await look(at: owner))
            }
            for (owner, look) in looks.sorted(by: { $0.0.id < $1.0.id }) {
                plan.found(
                    listsOf: owner, asked: look.asked, areOther: look.areOther,
                    haveOtherDocuments: look.haveOtherDocuments)
            }
        }
    }

    private struct Look: Sendable {
        /// Lists that were asked for.
        var asked = 1
        /// Whether one of artworks or pictures is another than what is stored.
        var areOther = false
        var haveOtherDocuments = false
    }

    private func look(at owner: Owner) async throws -> Look {
        switch owner.kind {
        case .artist: return Look(haveOtherDocuments: try await hasOtherDocuments(owner))
        case .show:
            let artworks = try await hasOtherArtworks(owner)
            let shots = try await hasOtherPictures(owner.id, .installation)
            let cover = try await hasOtherPictures(owner.id, .cover)
            return Look(
                asked: 4, areOther: artworks || shots || cover,
                haveOtherDocuments: try await hasOtherDocuments(owner))
        default: return Look(areOther: try await hasOtherArtworks(owner))
        }
    }

    private func hasOtherDocuments(_ owner: Owner) async throws -> Bool {
        let list = DocumentsStep().list(ObjectScope(partner: scope, owner: owner, lists: nil))
        let state = try store.listState(list.list.url)
        do {
            guard let ids = try await list.askAgain(known: state?.complete == true ? state?.etag : nil)?.ids
            else { return false }
            return Set(try store.storedDocuments(of: owner).map { ExactText($0.id) })
                != Set(ids.map(ExactText.init))
        } catch let error as HTTPError where error.isNotOffered {
            return false
        }
    }

    private func hasOtherArtworks(_ owner: Owner) async throws -> Bool {
        let under = ObjectScope(partner: scope, owner: owner, lists: nil)
        let list = MembersStep(of: owner.kind).list(under)
        let state = try store.listState(list.list.url)
        guard let ids = try await list.askAgain(known: state?.complete == true ? state?.etag : nil)?.ids
        else {
            return state?.pending == true
        }
        return try store.members(of: owner).map(ExactText.init) != ids.map(ExactText.init)
    }

    /// Where the server gives no ETag, the first page says it for all but the longest.
    private func hasOtherPictures(_ show: String, _ role: ImageRole) async throws -> Bool {
        let route = scope.router.images(show: show, cover: role == .cover, page: 1)
        let state = try store.listState(route.listURL ?? "")
        let known = state?.complete == true ? state?.etag : nil
        do {
            let asked = FetchOperation(route, known: known, cache: .bypass)
            guard case .body(let response) = try await environment.send(asked) else { return false }
            guard case .array(let values) = try JSONValue(parsing: response.body) else { return true }
            var warnings: [FieldWarning] = []
            let page = try values.compactMap(\.objectValue).map {
                StoredImage(try ImageEntry($0, warnings: &warnings))
            }
            let stored = try store.storedImages(of: Owner(.show, show), role: role)
            return page.count < Router.pageSize ? stored != page : Array(stored.prefix(page.count)) != page
        } catch let error as HTTPError where error.isNotOffered {
            return false
        }
    }
}
