import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Fetches a show's installation shots, or its cover: a paged list whose elements are the pictures' JSON.
struct ShowImagesStep: SyncStep {
    struct Item: Sendable {
        let owner: Owner
        /// The pictures' JSON; `nil` if the stored pictures are current.
        let images: [JSONObject]?
        let answer: ListAnswer?
    }

    private let role: ImageRole
    private let list: ObjectList

    static let installationShots = ShowImagesStep(role: .installation, list: .installationShots)
    static let cover = ShowImagesStep(role: .cover, list: .cover)

    func identity(of item: Item) -> String { item.owner.id }
    func listIdentity(of input: OwnerLists) -> String { input.url(of: list) }

    func expand(_ input: OwnerLists, in context: SyncContext) async throws -> Expansion<Item> {
        let environment = context.environment, owner = input.owner, options = environment.options
        let name = input.name(of: list)
        let state = try input.state(of: name, environment)
        let known = state?.known, listed = input.listed?[list.rawValue]
        let current = Item(owner: owner, images: nil, answer: nil)
        if let known, !options.full, listed == known {
            try await environment.confirm(name, state)
            environment.report.note { $0.vouched += 1 }
            return options.media ? .one(current) : .empty
        }
        let pages = PagedList(environment: environment, list: name, keepsObjects: true) { page in
            try await environment.checkStaleness(of: page, announced: nil, .show, owner.id, "its pictures")
        } route: {
            environment.router.list(list, of: owner, .page($0))
        }
        do {
            let fetched = try await pages.fetch(
                1,
                subject: .list(
                    list, owner, announced: input.announcedETag(of: list.rawValue, state, environment),
                    stored: state))
            guard case .body(let first) = fetched else { return options.media ? .one(current) : .empty }
            try await environment.checkStaleness(
                of: fetched, announced: listed, .show, owner.id, "its pictures")
            // With validators a picture list's ETag covers all its pages.
            if input.listed != nil, let known, first.etag == known, !options.full {
                try await environment.confirm(name, state)
                return .one(current)
            }
            let all = try await pages.pages(first: first)
            environment.report.incomplete(name, all.unusable)
            // The ETag of page 1 can't vouch for pages from a cache, which may be older.
            let answer = ListAnswer(
                list: name, etag: all.hasCachedPage ? nil : first.etag, date: all.madeAt,
                isComplete: all.unusable.isEmpty)
            let item = Item(owner: owner, images: all.objects, answer: answer)
            return Expansion(CollectionOfOne(item), complete: { answer.isComplete })
        } catch let error as HTTPError where error.isNotSupported && listed == nil {
            return .empty
        }
    }

    func perform(_ item: Item, in context: SyncContext) async throws -> [Pictures] {
        let environment = context.environment, show = item.owner.id
        guard let objects = item.images, let answer = item.answer else {
            return try Pictures.stored(item.owner, role, environment)
        }
        var warnings: [FieldWarning] = []
        let images = try objects.map { try ImageEntry($0, warnings: &warnings) }
        environment.report.fields(warnings, of: ImageEntry.kind)
        try await environment.applier.submit(
            .showImages(
                show: show, role: role, images: images.map { ImageRecord($0, show: show) }, list: answer))
        guard environment.options.media else { return [] }
        return [Pictures(item.owner, role, images.map(StoredImage.init))]
    }

    func operations(expanding input: OwnerLists, in context: SyncContext) -> [any RequestOperation] {
        [
            ListOperation(
                context.environment.router.list(list, of: input.owner), cache: .noCache,
                isReload: context.environment.options.full)
        ]
    }
}
