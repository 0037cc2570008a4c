import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// A show's installation shots, or its cover: a list of pictures in pages, which is itself what is stored.
package struct ShowImagesStep: Step {
    package struct Item: Sendable {
        let scope: ObjectScope
        /// The pictures that came; `nil` if those that are stored are current.
        let images: [JSONObject]?
        let answer: ListAnswer?
    }

    let role: ImageRole

    package static let installationShots = ShowImagesStep(role: .installation)
    package static let cover = ShowImagesStep(role: .cover)

    private var list: ObjectList { role == .cover ? .cover : .installationShots }

    package func identity(of item: Item) -> String { item.scope.owner.id }
    package func listIdentity(of input: ObjectScope) -> String { name(input).url }

    package func expand(_ input: ObjectScope, in context: StepContext) async throws -> Expansion<Item> {
        let environment = input.environment, name = name(input)
        let state = try input.state(of: name)
        let known = state?.known
        if let known, !environment.options.full, input.lists?[name.name] == known {
            try await confirm(state, name, environment)
            environment.report.note { $0.vouched += 1 }
            return environment.options.media ? .one(Item(scope: input, images: nil, answer: nil)) : .empty
        }
        if let plan = environment.plan {
            plan.willAsk(
                .pictures(role), of: input.owner, etag: input.tellingETag(of: name.name, state), stored: state
            )
            if plan.isEmpty(input.tellingETag(of: name.name, state)) {
                try await environment.applier.submit(
                    .showImages(
                        show: input.owner.id, role: role, images: [],
                        list: ListAnswer(list: name, etag: nil, date: nil)))
            }
            return environment.options.media ? .one(Item(scope: input, images: nil, answer: nil)) : .empty
        }
        let router = input.partner.router, owner = input.owner, show = owner.id
        let pages = PagedList(environment: environment, list: name, keepsWhole: true) { page in
            try await input.partner.weigh(page, announced: nil, of: .show, show, "its pictures")
        } route: {
            router.list(list, of: owner, .page($0))
        }
        do {
            let first = try await pages.page(1)
            try await input.partner.weigh(
                .body(first), announced: input.lists?[name.name], of: .show, show, "its pictures")
            // With validators a picture list's ETag covers all its pages.
            if input.lists != nil, let known, first.etag == known, !environment.options.full {
                try await confirm(state, name, environment)
                return .one(Item(scope: input, images: nil, answer: nil))
            }
            let all = try await pages.pages(first: first)
            environment.report.incomplete(name, all.unusable)
            // That of page 1 doesn't vouch for pages that may be older.
            let answer = ListAnswer(
                list: name, etag: all.hasKept ? nil : first.etag, date: all.madeAt,
                isComplete: all.unusable.isEmpty)
            let item = Item(scope: input, images: all.objects, answer: answer)
            return Expansion(CollectionOfOne(item), complete: { answer.isComplete })
        } catch let error as HTTPError where error.isNotOffered && input.lists?[name.name] == nil {
            return .empty
        }
    }

    package func perform(_ item: Item, in context: StepContext) async throws -> [PictureSource] {
        let environment = item.scope.environment
        guard let objects = item.images, let answer = item.answer else {
            return try PictureSource.stored(environment, item.scope.owner, role)
        }
        var warnings: [FieldWarning] = []
        let images = try objects.map { try ImageEntry($0, warnings: &warnings) }
        for warning in warnings {
            environment.report.problem(
                Problem(what: "field", kind: "image", id: warning.id, message: warning.description))
        }
        let show = item.scope.owner.id
        let records = images.map { ImageRecord($0, show: show) }
        try await environment.applier.submit(
            .showImages(show: show, role: role, images: records, list: answer))
        guard environment.options.media else { return [] }
        return [
            PictureSource(
                environment: environment, owner: item.scope.owner, role: role,
                pictures: images.map(StoredImage.init))
        ]
    }

    package func operations(expanding input: ObjectScope) -> [FetchOperation] {
        [
            FetchOperation(
                input.partner.router.list(list, of: input.owner),
                cache: .noCache, isReload: input.environment.options.full)
        ]
    }

    /// What it lacks of the pictures that are stored still waits to be removed: in this run, as nothing else does.
    private func confirm(_ state: ListState?, _ name: ListName, _ environment: SyncEnvironment) async throws {
        guard state?.pending == true else { return }
        try await environment.applier.submit(.confirmed(list: name.url))
    }

    private func name(_ scope: ObjectScope) -> ListName {
        let route = scope.partner.router.list(list, of: scope.owner)
        return ListName(
            url: route.listURL ?? "", owner: scope.owner,
            name: list.rawValue)
    }
}
