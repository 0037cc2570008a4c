import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Fetches the objects of a kind, and outputs the inputs of the nodes below.
///
/// The environment decides where the objects come from: the server's list (``ObjectListing``), the changes that were pulled,
/// or ids that are known otherwise. ``ObjectTriage`` decides which of them are requested.
struct ObjectStep<Output: Sendable>: SyncStep {
    let kind: Kind
    /// Makes the outputs for an object. The payload is `nil` if the stored object is current.
    private let output: @Sendable (ObjectItem, (any Payload)?, SyncEnvironment) throws -> [Output]

    func identity(of item: ObjectItem) -> String { item.id }
    func listIdentity(of input: PartnerID) -> String {
        Router(partner: input.id).list(kind).listURL ?? ""
    }

    func expand(_ input: PartnerID, in context: SyncContext) async throws -> Expansion<ObjectItem> {
        let environment = context.environment, listing = ObjectListing(environment: environment, kind: kind)
        do {
            if let given = environment.given[kind] { return try await listing.expand(given) }
            environment.report.note { _ = $0.walked.insert(kind) }
            return try await listing.expand()
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    func perform(_ item: ObjectItem, in context: SyncContext) async throws -> [Output] {
        let environment = context.environment
        if item.isVouched { return try output(item, nil, environment) }
        return try await environment.itemsInFlight.performing { try await fetch(item, context) }
    }

    private func fetch(_ item: ObjectItem, _ context: SyncContext) async throws -> [Output] {
        let environment = context.environment
        environment.report.noteStarted(kind.name, item.id)
        guard let operation = operation(item, environment) else { return [] }
        let answer: ObjectAnswer
        do {
            answer = try await environment.breaker.counting(operation.route, isRetry: context.isRetry) {
                try await environment.send(operation)
            }
        } catch let error as HTTPError where isInaccessible(item, error, environment) {
            try await noteInaccessible(
                item, .answered(status: error.status ?? 404, url: operation.route.canonicalURL), environment)
            return []
        } catch let error as HTTPError where error.code == .notFound && environment.described == nil {
            throw notFound(item, error, environment)
        } catch let error as HTTPError where error.code == .badResponse && environment.described != nil {
            // The answer can't be read by the description, which a second try would not change.
            throw LastingFailure(cause: error)
        }
        try await environment.checkStaleness(
            of: answer, announced: item.announcedETag, known: item.known, kind, item.id, "it")
        guard case .object(let found, _) = answer else {
            if item.mayBeStale(answer) { try await markForRefetch(item, environment) }
            if item.isPruned { return [] }
            if item.origin.isLinked { try await environment.applier.submit(.tried(kind: kind, id: item.id)) }
            return try output(item, nil, environment)
        }
        // A pruned object is stored again only in another version than the pruned one.
        if item.isPruned, let etag = answer.etag, etag == item.known { return [] }
        guard let json = found.json else {
            // A listed object whose answer says that it is absent is treated as not found.
            guard item.origin != .listed || environment.described != nil else {
                let message =
                    "The server's list contains this \(kind.name), but the server says that it does not exist."
                throw notFound(item, HTTPError(.notFound, message), environment)
            }
            try await noteInaccessible(
                item, .absent(in: operation.route.canonicalURL), environment)
            return []
        }
        let object = try environment.reading(operation) {
            try kind.type.read(json, id: item.id, report: environment.report)
        }
        let listed = item.listedETag
        let version = environment.source.version(listed: listed, answer.etag, found.version)
        // Without a version in the list, and without changes, the object is requested again: the oldest one first.
        if listed == nil, environment.described?.knowsChanges(of: kind) == false {
            try await environment.applier.submit(.tried(kind: kind, id: item.id))
        }
        // An unchanged object isn't written again.
        if let version, listed == nil, item.stored == .row(etag: version, refetch: false),
            environment.described != nil, !environment.options.full
        {
            return try output(item, nil, environment)
        }
        let writes = try environment.writes(of: object, kind, version: version, found.related).map { write in
            guard case .object(var record) = write, item.origin.isLinked else { return write }
            record.isLinked = true
            environment.report.note { $0.linked[kind, default: 0] += 1 }
            return .object(record)
        }
        try await environment.applier.submit(together: writes)
        if item.origin.isLinked { try await environment.applier.submit(.tried(kind: kind, id: item.id)) }
        if item.mayBeStale(answer) { try await markForRefetch(item, environment) }
        return try output(item, object, environment)
    }

    /// Whether the server doesn't have, or doesn't show, an object, and this is no failure.
    ///
    /// Lists of described sources may contain objects that the server doesn't have, for months.
    private func isInaccessible(
        _ item: ObjectItem, _ error: HTTPError, _ environment: SyncEnvironment
    ) -> Bool {
        if let source = environment.described { return source.isAbsence(error, of: kind) }
        return item.origin != .listed && error.isInaccessible
    }

    private func notFound(_ item: ObjectItem, _ error: HTTPError, _ environment: SyncEnvironment)
        -> LastingFailure
    {
        environment.report.note { _ = $0.notFound[kind, default: []].insert(ExactText(item.id)) }
        return LastingFailure(cause: error)
    }

    /// Marks an object whose stored version may be older than the server's: the next sync requests it again.
    private func markForRefetch(_ item: ObjectItem, _ environment: SyncEnvironment) async throws {
        try await environment.applier.submit(.refetch(kind: kind, id: item.id))
        if item.origin != .listed { try await environment.applier.submit(.tried(kind: kind, id: item.id)) }
    }

    /// Records that the server doesn't have, or doesn't show, an object that none of its lists contains. It is requested again
    /// after some time.
    private func noteInaccessible(_ item: ObjectItem, _ evidence: Evidence, _ environment: SyncEnvironment)
        async throws
    {
        environment.report.note { $0.inaccessible += 1 }
        if item.origin == .unlisted(.linked) {
            try await environment.applier.submit(.tombstone(kind: kind, id: item.id, evidence: evidence))
        }
        try await environment.applier.submit(.tried(kind: kind, id: item.id, isAbsent: true))
    }

    func finished(_ input: PartnerID, _ scope: SubtreeOutcome, in context: SyncContext) async throws {
        guard scope.subtreeComplete, context.environment.coverage.complete.contains(kind) else { return }
        let url = context.environment.given[kind] == nil ? listIdentity(of: input) : nil
        context.environment.report.note { state in
            if let url { state.clean.append(url) }
            state.kindsWithoutFailures.insert(kind)
        }
    }

    func operations(expanding input: PartnerID, in context: SyncContext) -> [any RequestOperation] {
        let environment = context.environment
        guard environment.given[kind] == nil else { return [] }
        return [ObjectListing(environment: environment, kind: kind).operation(known: nil)].compactMap(\.self)
    }

    func operations(performing item: ObjectItem, in context: SyncContext) -> [any RequestOperation] {
        item.isVouched ? [] : [operation(item, context.environment)].compactMap(\.self)
    }

    /// A described object is stored as it was read, so that a copy of the answer in the cache would be useless.
    private func cache(_ item: ObjectItem, _ environment: SyncEnvironment) -> Request.CacheUse {
        guard environment.described == nil else { return .bypass }
        return item.mustReachServer || environment.needsEveryChange ? .noCache : .use
    }

    /// The request for an object; `nil` if the source can't request objects of the kind.
    private func operation(_ item: ObjectItem, _ environment: SyncEnvironment) -> ObjectOperation? {
        environment.source.operation(
            item.id, of: kind, known: environment.source.validator(item.known),
            cache: cache(item, environment),
            isReload: environment.options.full,
            subject: .object(
                Owner(kind, item.id), item.stored, announced: item.listedETag,
                becomesListed: item.becomesListed,
                isPruned: item.isPruned))
    }
}

extension ObjectStep where Output == OwnerLists {
    /// For kinds with membership lists. An object of a described source contains its lists.
    init(_ kind: Kind) {
        self.init(kind: kind) { item, _, environment in
            guard environment.described == nil else { return [] }
            return [
                OwnerLists(
                    owner: Owner(kind, item.id), partner: environment.partnerID, listed: item.lists,
                    states: item.states)
            ]
        }
    }
}

extension ObjectStep where Output == Pictures {
    /// For kinds whose own JSON contains their pictures.
    init(pictured kind: Kind) {
        self.init(kind: kind) { item, object, environment in
            guard let object else {
                return try Pictures.stored(Owner(kind, item.id), .picture, environment)
            }
            let images = object.parts.images
            guard environment.options.media, !images.isEmpty else { return [] }
            return [Pictures(Owner(kind, object.id), .picture, images.map(StoredImage.init))]
        }
    }
}

extension ObjectStep where Output == Never {
    /// For kinds with nothing under them.
    init(leaf kind: Kind) {
        self.init(kind: kind) { _, _, _ in [] }
    }
}

/// The partner's id: the input of the nodes under the root.
public struct PartnerID: Sendable, Hashable {
    /// As in the server's JSON.
    public let id: String
    /// - Parameter id: the partner's id, not its slug.
    public init(_ id: String) { self.id = id }
}

extension SyncEnvironment {
    /// Whether later runs request only changes, by `since` or by events. Then a fresh answer in the cache isn't enough: a
    /// change that happened before this run would never be requested again.
    var needsEveryChange: Bool { extensions.contains("since") || extensions.contains("events") }
}

extension HTTPError {
    /// Whether the server answered that an object doesn't exist, or that this login may not read it.
    var isInaccessible: Bool { [403, 404, 410].contains(status) }
}
