import Catalogue
import MirrorHTTP
import MirrorStore

/// Requests some of what no list tells, once the tree was walked: objects, lists under objects and documents that may have
/// changed (this file), and how many files a sync will fetch and how large they are (``files(_:)``).
///
/// Up to 50 of each are chosen at random. What a plan learns by them holds for all where all could be requested, and is an
/// estimate otherwise.
struct PlanSampler: Sendable {
    let environment: SyncEnvironment
    let plan: PlanRecorder

    var store: CatalogueStore { environment.store }

    /// Finds out of some objects, lists and documents whether they changed.
    ///
    /// - Returns: what could not be looked at, as a sync would report it. What the server says it hasn't stays undecided.
    /// - Throws: ``SyncError``, ``StoreError``, `CancellationError`.
    func decide() async throws -> [Problem] {
        var problems: [Problem] = []
        for (kind, objects) in plan.current.undecided.sorted(by: { $0.key.name < $1.key.name }) {
            let looks = try await results(of: objects.sample.chosen) { try await effect(on: $0) }
            for (object, look) in looks.sorted(by: { $0.0.owner.id < $1.0.owner.id }) {
                switch look {
                case .success(let effect): plan.found(object.owner, effect)
                case .failure(let error):
                    problems += Self.problem("object", kind, object.owner.id, error)
                }
            }
        }
        let owners = plan.current.undecidedOwners
        for (kind, owners) in owners.sorted(by: { $0.key.name < $1.key.name }) {
            let looks = try await looks(at: owners.sample.chosen) { id in
                (id, try await lists(under: Owner(kind, id)))
            }
            for (id, look) in looks.sorted(by: { $0.0 < $1.0 }) {
                problems += look.problems
                plan.found(look, under: Owner(kind, id))
            }
        }
        // Over validators a plan sends few requests, whatever is in doubt.
        guard !environment.hasValidators else { return problems }
        let looks = try await results(of: plan.beginSamplingDocuments()) { try await effect(on: $0) }
        for (document, look) in looks.sorted(by: { $0.0.name < $1.0.name }) {
            switch look {
            case .success(let effect): plan.found(Owner(.document, document.stored.id), effect)
            case .failure(let error):
                problems += Self.problem("object", .document, document.stored.id, error)
            }
        }
        return problems
    }

    /// What a sync would report of a failure; nothing for what the server says it hasn't.
    private static func problem(_ what: String, _ kind: Kind, _ id: String?, _ error: any Error) -> [Problem]
    {
        if let error = error as? HTTPError, error.isInaccessible, error.status != 403 { return [] }
        return [Problem(what: what, kind: kind.name, id: id, message: "\(error)")]
    }

    // MARK: - Objects and documents

    private func effect(on object: PlannedObject) async throws -> WriteEffect {
        let kind = object.owner.kind, id = object.owner.id
        let operation = environment.source.operation(
            id, of: kind, known: object.known, cache: environment.needsEveryChange ? .noCache : .use,
            isReload: environment.options.full)
        let answer = try await environment.send(operation)
        guard let json = answer.json else { return .unchanged }
        if object.isPruned, let etag = answer.etag, etag == object.known { return .unchanged }
        let body = try kind.type.read(json, id: id, report: environment.report)
        let record = ObjectRecord(kind, body, etag: answer.etag, partner: environment.partnerID)
        let effect = try store.effect(of: record)
        if effect == .updated, environment.options.media, kind.imageRoles.contains(.picture) {
            let pictures = try pictures(body.parts.images.map(StoredImage.init), of: object.owner, .picture)
            plan.note(
                picturesOf: id, pictures.new, insteadOf: pictures.stored, conditional: pictures.conditional)
        }
        return effect
    }

    private func effect(on document: DoubtedDocument) async throws -> WriteEffect {
        let stored = document.stored
        let operation = ObjectOperation(
            environment.router.document(stored.id, of: document.owner), known: stored.etag,
            bodyLimit: ObjectOperation.bodyLimit, isReload: environment.options.full)
        guard let json = try await environment.send(operation).json else { return .unchanged }
        let body = try Document.read(json, id: stored.id, report: environment.report)
        return body.json.canonicalText == stored.json ? .unchanged : .updated
    }

    // MARK: - Lists under objects

    /// What requesting the lists under an object told.
    struct ListLook: Sendable {
        /// Lists of which is known whether they are others than what is stored.
        var decided = 0
        var hasOtherArtworks = false
        /// Lists of pictures that are others.
        var otherPictures: [ImageRole] = []
        var hasOtherDocuments = false
        /// Of lists that could not be looked at.
        var problems: [Problem] = []
    }

    private func lists(under owner: Owner) async throws -> ListLook {
        var look = ListLook()
        for list in owner.kind.lists {
            do {
                switch list {
                case .artworks: look.hasOtherArtworks = try await hasOtherArtworks(owner)
                case .documents: look.hasOtherDocuments = try await hasOtherDocuments(owner)
                case .installationShots, .cover:
                    let isOther = try await offered(or: false) { try await hasOtherPictures(owner, list) }
                    guard let isOther else { continue }
                    if isOther, let role = list.imageRole { look.otherPictures.append(role) }
                }
                look.decided += 1
            } catch let error where Self.isAnswer(error) {
                let url = environment.router.list(list, of: owner).listURL
                look.problems += Self.problem("list", owner.kind, url, error)
            }
        }
        return look
    }

    private func hasOtherDocuments(_ owner: Owner) async throws -> Bool {
        try await offered(or: false) {
            guard let ids = try await members(.documents, under: owner).ids else { return false }
            return try storedDocuments(of: owner) != Set(ids.map(ExactText.init))
        }
    }

    private func hasOtherArtworks(_ owner: Owner) async throws -> Bool {
        let (ids, state) = try await members(.artworks, under: owner)
        guard let ids else { return state?.pending == true }
        return try store.members(of: owner).map(ExactText.init) != ids.map(ExactText.init)
    }

    /// The members of a list, `nil` if it is as it is stored; and what is stored of it.
    private func members(_ kind: ObjectList, under owner: Owner) async throws -> (
        ids: [String]?, state: ListState?
    ) {
        let list = list(kind, under: owner), state = try store.listState(list.name.url)
        guard let (ids, answer) = try await list.requestAgain(known: state?.known) else {
            return (nil, state)
        }
        try await environment.applier.submit(.members(list: answer, ids: ids))
        return (ids, state)
    }

    /// - Returns: `nil` where the first page is as it was, and is not the only one.
    private func hasOtherPictures(_ show: Owner, _ list: ObjectList) async throws -> Bool? {
        let route = environment.router.list(list, of: show), role = list.imageRole ?? .cover
        let known = try store.listState(route.listURL ?? "")?.known
        let stored = try store.storedImages(of: show, role: role)
        guard let response = try await body(route, known: known) else {
            return stored.count < Router.pageSize ? false : nil
        }
        let isOther = known != nil && response.etag != nil && response.etag != known
        guard let entries = try images(response) else { return true }
        let page = entries.map(StoredImage.init)
        guard page.count >= Router.pageSize else {
            let name = ListName(url: route.listURL ?? "", owner: show, name: list.rawValue)
            try await environment.applier.submit(
                .showImages(
                    show: show.id, role: role, images: entries.map { ImageRecord($0) },
                    list: ListAnswer(list: name, etag: nil, date: nil)))
            return isOther || stored != page
        }
        return !isOther && Array(stored.prefix(page.count)) == page ? nil : true
    }
}

// MARK: - Requests

extension PlanSampler {
    /// Looks at all of a sample, some at once; what can't be looked at is left out.
    ///
    /// - Throws: what `look` throws, but `HTTPError`, `PayloadError` and ``LastingFailure``.
    func looks<Subject: Sendable, Look: Sendable>(
        at subjects: [Subject], _ look: @escaping @Sendable (Subject) async throws -> Look
    ) async throws -> [Look] {
        try await results(of: subjects, look).compactMap { try? $0.1.get() }
    }

    /// Looks at all of a sample, some at once.
    ///
    /// - Throws: what `look` throws, but `HTTPError`, `PayloadError` and ``LastingFailure``, which are results.
    private func results<Subject: Sendable, Look: Sendable>(
        of subjects: [Subject], _ look: @escaping @Sendable (Subject) async throws -> Look
    ) async throws -> [(Subject, Result<Look, any Error>)] {
        try await environment.each(of: subjects, atOnce: environment.options.jobs / 2) { subject in
            do {
                return (subject, .success(try await look(subject)))
            } catch let error where Self.isAnswer(error) {
                return (subject, .failure(error))
            }
        }
    }

    /// Whether an error is about what was requested, and not about the run.
    private static func isAnswer(_ error: any Error) -> Bool {
        error is HTTPError || error is PayloadError || error is LastingFailure
    }

    /// An object, requested past the cache; `nil` if the server says that nothing changed.
    func object(_ route: Route) async throws -> JSONObject? {
        try await environment.send(ObjectOperation(route, cache: .bypass)).json
    }

    /// A list or a page of one, requested past the cache; `nil` if the server says that nothing changed.
    func body(_ route: Route, known: String? = nil) async throws -> Response? {
        let operation = ListOperation(route, known: known, cache: .bypass)
        guard case .body(let response) = try await environment.send(operation) else { return nil }
        return response
    }

    /// What is requested, or what it stands for that the server doesn't offer it.
    func offered<Value>(or none: Value, _ request: () async throws -> Value) async throws -> Value {
        do {
            return try await request()
        } catch let error as HTTPError where error.isNotOffered {
            return none
        }
    }

    /// The objects of an array; `nil` for JSON that is none.
    func objects(_ response: Response) throws -> [JSONObject]? {
        do {
            guard case .array(let values) = try JSONValue(parsing: response.body) else { return nil }
            return values.compactMap(\.objectValue)
        } catch {
            throw JSONBody.problem(response, cause: error)
        }
    }

    func images(_ response: Response) throws -> [ImageEntry]? {
        try objects(response)?.map { try ImageEntry($0) }
    }

    func list(_ kind: ObjectList, under owner: Owner) -> SubList {
        SubList(kind, of: OwnerLists(owner: owner, partner: environment.partnerID), environment)
    }

    func storedDocuments(of owner: Owner) throws -> Set<ExactText> {
        Set(try store.storedDocuments(of: owner).map { ExactText($0.id) })
    }

    /// The pictures that a sync will fetch where an owner has these, and those that it would for what is stored.
    func pictures(
        _ images: [StoredImage], of owner: Owner, _ role: ImageRole
    ) throws -> (new: [ImageStep.Item], stored: [ImageStep.Item], conditional: [ImageStep.Item]) {
        let step = ImageStep()
        let requested = try step.requested(Pictures(owner, role, images), environment)
        let before = try Pictures.stored(owner, role, environment).map { try step.requested($0, environment) }
        let counted = Set(before.flatMap(\.conditional).map { "\($0.image.id)/\($0.format)" })
        return (
            requested.new, before.flatMap(\.new),
            requested.conditional.filter { !counted.contains("\($0.image.id)/\($0.format)") }
        )
    }
}
