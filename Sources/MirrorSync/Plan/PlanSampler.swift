import Catalogue
import MirrorHTTP
import MirrorStore

/// Requests random samples after a dry run walked the tree, for what the partner's lists don't contain.
///
/// It samples objects, lists under objects and documents that may have changed (``decide()``), and the number and sizes of
/// the files that a sync will fetch (``files(_:)``). A sample has up to 50 elements: with no more than that, the result is
/// exact; otherwise it is an estimate.
struct PlanSampler: Sendable {
    let environment: SyncEnvironment
    let plan: PlanRecorder

    var store: CatalogueStore { environment.store }

    /// Requests sampled objects, lists and documents to see whether they changed.
    ///
    /// - Returns: the failed requests, as a sync would report them. An object that the server doesn't have is no problem, and
    ///   stays undecided.
    /// - Throws: ``SyncError``, ``StoreError``, `CancellationError`.
    func decide() async throws -> [Problem] {
        var problems: [Problem] = []
        for (kind, objects) in plan.current.undecided.sorted(by: { $0.key.name < $1.key.name }) {
            let results = try await results(of: sample(objects.sample.chosen)) { try await effect(on: $0) }
            for (object, result) in results.sorted(by: { $0.0.owner.id < $1.0.owner.id }) {
                switch result {
                case .success(let effect): plan.found(object.owner, effect)
                case .failure(let error):
                    problems += Self.problem("object", kind, object.owner.id, error)
                }
            }
        }
        let owners = plan.current.undecidedOwners
        for (kind, owners) in owners.sorted(by: { $0.key.name < $1.key.name }) {
            let comparisons = try await sampleAll(owners.sample.chosen) { id in
                (id, try await lists(under: Owner(kind, id)))
            }
            for (id, comparison) in comparisons.sorted(by: { $0.0 < $1.0 }) {
                problems += comparison.problems
                plan.found(comparison, under: Owner(kind, id))
            }
        }
        // With validators, a plan is limited to few requests, so it samples no documents.
        guard !environment.hasValidators else { return problems }
        let results = try await results(of: plan.beginSamplingDocuments()) { try await effect(on: $0) }
        for (document, result) in results.sorted(by: { $0.0.name < $1.0.name }) {
            switch result {
            case .success(let effect): plan.found(Owner(.document, document.stored.id), effect)
            case .failure(let error):
                problems += Self.problem("object", .document, document.stored.id, error)
            }
        }
        return problems
    }

    /// The problem that a sync would report for an error; none if the server doesn't have the object.
    private static func problem(_ what: String, _ kind: Kind, _ id: String?, _ error: any Error) -> [Problem]
    {
        if let error = error as? HTTPError, error.isInaccessible, error.status != 403 { return [] }
        return [Problem(what: what, kind: kind.name, id: id, message: "\(error)")]
    }

    // MARK: - Objects and documents

    private func effect(on object: PlannedObject) async throws -> WriteEffect {
        let kind = object.owner.kind, id = object.owner.id
        let known = environment.source.validator(object.known)
        guard
            let operation = environment.source.operation(
                id, of: kind, known: known, cache: environment.needsEveryChange ? .noCache : .use,
                isReload: environment.options.full)
        else { return .unchanged }
        let answer = try await environment.send(operation)
        guard case .object(let found, _) = answer, let json = found.json else { return .unchanged }
        if object.isPruned, let etag = answer.etag, etag == object.known { return .unchanged }
        let body = try kind.type.read(json, id: id, report: environment.report)
        let version = environment.source.version(listed: nil, answer.etag, found.version)
        let record = try record(body, kind, version, found.related)
        let effect = try store.effect(of: record)
        if effect == .updated, environment.options.media, kind.imageRoles.contains(.picture) {
            let pictures = try pictures(body.parts.images.map(StoredImage.init), of: object.owner, .picture)
            plan.note(
                picturesOf: id, pictures.new, insteadOf: pictures.stored, conditional: pictures.conditional)
        }
        return effect
    }

    private func effect(on document: UndecidedDocument) async throws -> WriteEffect {
        let stored = document.stored
        let operation = ObjectOperation(
            environment.router.document(stored.id, of: document.owner), known: stored.etag,
            bodyLimit: ObjectOperation.bodyLimit, isReload: environment.options.full)
        guard let json = try await environment.send(operation).json else { return .unchanged }
        let body = try Document.read(json, id: stored.id, report: environment.report)
        return body.json.canonicalText == stored.json ? .unchanged : .updated
    }

    // MARK: - Lists under objects

    /// The differences between the requested lists under an object and the stored ones.
    struct ListComparison: Sendable {
        /// The number of lists that were compared.
        var decided = 0
        var hasOtherArtworks = false
        /// The roles of the lists of pictures that differ.
        var otherPictures: [ImageRole] = []
        var hasOtherDocuments = false
        /// One problem for each list that could not be requested.
        var problems: [Problem] = []
    }

    private func lists(under owner: Owner) async throws -> ListComparison {
        var comparison = ListComparison()
        for list in owner.kind.lists {
            do {
                switch list {
                case .artworks: comparison.hasOtherArtworks = try await hasOtherArtworks(owner)
                case .documents: comparison.hasOtherDocuments = try await hasOtherDocuments(owner)
                case .installationShots, .cover:
                    let isOther = try await offered(or: false) { try await hasOtherPictures(owner, list) }
                    guard let isOther else { continue }
                    if isOther, let role = list.imageRole { comparison.otherPictures.append(role) }
                }
                comparison.decided += 1
            } catch let error where Self.isAnswer(error) {
                let url = environment.router.list(list, of: owner).listURL
                comparison.problems += Self.problem("list", owner.kind, url, error)
            }
        }
        return comparison
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

    /// The members of a list, `nil` if it is unchanged; and its stored state.
    private func members(_ kind: ObjectList, under owner: Owner) async throws -> (
        ids: [String]?, state: ListState?
    ) {
        let list = list(kind, under: owner), state = try store.listState(list.name.url)
        guard let (ids, answer) = try await list.requestAgain(known: state?.conditionalETag) else {
            return (nil, state)
        }
        try await environment.applier.submit(.members(list: answer, ids: ids))
        return (ids, state)
    }

    /// Whether a list of pictures differs from the stored one.
    ///
    /// - Returns: `nil` if it is unknown: the first page is unchanged, but there are others.
    private func hasOtherPictures(_ show: Owner, _ list: ObjectList) async throws -> Bool? {
        let route = environment.router.list(list, of: show), role = list.imageRole ?? .cover
        let known = try store.listState(route.listURL ?? "")?.conditionalETag
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
    /// Requests each element of a sample, several concurrently; leaves out those whose request fails.
    ///
    /// - Throws: the errors of `request` other than `HTTPError`, `PayloadError` and ``LastingFailure``.
    func sampleAll<Subject: Sendable, Value: Sendable>(
        _ subjects: [Subject], _ request: @escaping @Sendable (Subject) async throws -> Value
    ) async throws -> [Value] {
        try await results(of: subjects, request).compactMap { try? $0.1.get() }
    }

    /// Requests each element of a sample, several concurrently.
    ///
    /// - Throws: the errors of `request` other than `HTTPError`, `PayloadError` and ``LastingFailure``, which are returned as
    ///   failures.
    private func results<Subject: Sendable, Value: Sendable>(
        of subjects: [Subject], _ request: @escaping @Sendable (Subject) async throws -> Value
    ) async throws -> [(Subject, Result<Value, any Error>)] {
        try await environment.each(of: subjects, atOnce: environment.options.sampleWidth) { subject in
            do {
                return (subject, .success(try await request(subject)))
            } catch let error where Self.isAnswer(error) {
                return (subject, .failure(error))
            }
        }
    }

    /// Whether an error concerns the requested resource only, and not the whole run.
    ///
    /// If a source allows no further requests for now, the samples are smaller.
    private static func isAnswer(_ error: any Error) -> Bool {
        error is HTTPError || error is PayloadError || error is LastingFailure
            || (error as? SyncError)?.code == .paused
    }

    /// Requests an object without the cache; `nil` if the server answers that it is unchanged.
    func object(_ route: Route) async throws -> JSONObject? {
        try await environment.send(ObjectOperation(route, cache: .bypass)).json
    }

    /// Requests a list, or a page of one, without the cache; `nil` if the server answers that it is unchanged.
    func body(_ route: Route, known: String? = nil) async throws -> Response? {
        let operation = ListOperation(route, known: known, cache: .bypass)
        guard case .body(let response) = try await environment.send(operation) else { return nil }
        return response
    }

    /// Returns the result of a request, or a default value if the server doesn't offer the resource.
    func offered<Value>(or none: Value, _ request: () async throws -> Value) async throws -> Value {
        do {
            return try await request()
        } catch let error as HTTPError where error.isNotSupported {
            return none
        }
    }

    /// The objects of a JSON array; `nil` if the body is another JSON value.
    ///
    /// - Throws: `HTTPError` if the body isn't JSON.
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

    /// The pictures that a sync will fetch for an owner.
    ///
    /// - Parameter images: the images of the owner's new version.
    /// - Returns: pictures to fetch for the new version; pictures to fetch for the stored version; and stored pictures whose
    ///   entry changed.
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
