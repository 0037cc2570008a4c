import MirrorHTTP
import MirrorStore
import PartnerAPI

/// Asks for the lists under some shows, albums and locations where no partner's list tells whether they changed.
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
                plan.found(listsOf: owner, asked: look.asked, areOther: look.areOther)
            }
        }
    }

    /// - Returns: how many lists were asked for, and whether one is another than what is stored.
    private func look(at owner: Owner) async throws -> (asked: Int, areOther: Bool) {
        let artworks = try await hasOtherArtworks(owner)
        guard owner.kind == .show else { return (1, artworks) }
        let shots = try await hasOtherPictures(owner.id, .installation)
        let cover = try await hasOtherPictures(owner.id, .cover)
        return (3, artworks || shots || cover)
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

    /// The first page says it for all but the longest.
    private func hasOtherPictures(_ show: String, _ role: ImageRole) async throws -> Bool {
        let route = scope.router.images(show: show, cover: role == .cover, page: 1)
        let state = try store.listState(route.listURL ?? "")
        let stored = try store.storedImages(of: Owner(.show, show), role: role)
        do {
            let asked = FetchOperation(
                route, known: state?.complete == true ? state?.etag : nil, cache: .bypass)
            guard case .body(let response) = try await environment.send(asked) else { return false }
            guard case .array(let values) = try JSONValue(parsing: response.body) else { return true }
            var warnings: [FieldWarning] = []
            let page = try values.compactMap(\.objectValue).map {
                StoredImage(try ImageEntry($0, warnings: &warnings))
            }
            return Array(stored.prefix(page.isEmpty ? stored.count : page.count)) != page
        } catch let error as HTTPError where error.isNotOffered {
            return false
        }
    }
}
