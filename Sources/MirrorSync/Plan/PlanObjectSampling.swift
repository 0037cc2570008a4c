import Catalogue
import MirrorHTTP
import MirrorStore

/// Requests some of the objects, and of the documents, of which no list tells whether they changed.
///
/// Up to 50 of a kind, chosen at random: what a plan learns by it holds for all of them where all could be requested, and is
/// an estimate otherwise.
struct PlanObjectSampling: Sendable {
    let environment: SyncEnvironment
    let plan: PlanRecorder

    /// - Throws: ``SyncError``, ``StoreError``, `CancellationError`. What the server doesn't answer stays undecided.
    func run() async throws {
        let undecided = plan.current.undecided.mapValues(\.sample.chosen)
        for (kind, objects) in undecided.sorted(by: { $0.key.name < $1.key.name }) where !objects.isEmpty {
            let looks = try await environment.looks(at: objects) { ($0.owner, try await effect(on: $0)) }
            for (object, effect) in looks.sorted(by: { $0.0.id < $1.0.id }) { plan.found(object, effect) }
        }
    }

    private func effect(on object: PlannedObject) async throws -> WriteEffect {
        let kind = object.owner.kind, id = object.owner.id
        let operation = FetchOperation(
            environment.source.object(id, of: kind), known: object.known,
            cache: environment.needsEveryChange ? .noCache : .use, bodyLimit: FetchOperation.objectLimit,
            isReload: environment.options.full)
        guard case .body(let response) = try await environment.send(operation) else { return .unchanged }
        if object.isPruned, let etag = response.etag, etag == object.known { return .unchanged }
        let body = try kind.type.read(response.jsonObject(), id: id, report: environment.report)
        let record = ObjectRecord(kind, body, etag: response.etag, partner: environment.partnerID)
        let effect = try environment.store.effect(of: record)
        if effect == .updated, environment.options.media, kind.imageRoles.contains(.picture) {
            let step = ImageStep(), images = body.parts.images.map { StoredImage($0) }
            let new = try step.toFetch(Pictures(object.owner, .picture, images), environment)
            let counted = try Pictures.stored(object.owner, .picture, environment).flatMap {
                try step.toFetch($0, environment)
            }
            plan.note(picturesOf: id, new, insteadOf: counted)
        }
        return effect
    }

    /// The same of documents.
    func runDocuments() async throws {
        let looks = try await environment.looks(at: plan.beginSamplingDocuments()) { document in
            (document, try await effect(on: document))
        }
        for (document, effect) in looks.sorted(by: { $0.0.name < $1.0.name }) {
            plan.found(Owner(.document, document.name), effect)
        }
    }

    private func effect(on document: DoubtedDocument) async throws -> WriteEffect {
        let operation = FetchOperation(
            environment.router.document(document.stored.id, of: document.owner), known: document.stored.etag,
            bodyLimit: FetchOperation.objectLimit, isReload: environment.options.full)
        guard case .body(let response) = try await environment.send(operation) else { return .unchanged }
        let body = try Document.read(
            response.jsonObject(), id: document.stored.id, report: environment.report)
        return body.json.canonicalText == document.stored.json ? .unchanged : .updated
    }
}
