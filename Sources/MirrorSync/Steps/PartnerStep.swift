import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// The partner: the root of the tree.
///
/// All other nodes depend on the partner's id and on the extensions that its server offers. So both are requested once,
/// before the tree runs (``identify(_:)``); this step only passes the id on.
struct PartnerStep: SingleItemStep {
    func perform(_ item: String, in context: SyncContext) async throws -> [PartnerID] {
        [PartnerID(context.environment.partnerID)]
    }

    func operations(performing item: String, in context: SyncContext) -> [any RequestOperation] {
        guard context.environment.catalogue == nil else { return [] }
        return [Self.extensionsOperation(context.environment), Self.operation(context.environment, nil)]
    }

    /// Requests the server's extensions and the partner, and stores the partner.
    ///
    /// - Parameter together: called while the partner is requested, if it is stored; for requests that need only its id and the
    ///   extensions. Its environment is that of the stored partner. Not called in a synchronous run.
    /// - Returns: the environment for that partner.
    /// - Throws: ``SyncError`` if the server has no such partner, doesn't serve the Partner API, or answers with another partner
    ///   than the mirror's.
    static func identify(
        _ environment: SyncEnvironment, together: (@Sendable (SyncEnvironment) async -> Void)? = nil
    ) async throws -> SyncEnvironment {
        if let known = try described(environment) { return known }
        let extensions = try await discoverExtensions(environment)
        let stored = try environment.store.storedSingle(.partner)
        async let others: Void = {
            guard let together, let stored, !environment.options.synchronous else { return }
            await together(environment.identified(as: stored.id, extensions: extensions))
        }()
        let identified = try await identify(environment, stored, extensions)
        await others
        return identified
    }

    private static func identify(
        _ environment: SyncEnvironment, _ stored: (id: String, etag: String?, json: String)?,
        _ extensions: Set<String>
    ) async throws -> SyncEnvironment {
        let operation = operation(environment, stored), answer: ObjectAnswer
        do {
            answer = try await environment.send(operation)
        } catch let error as HTTPError where error.status == 404 {
            throw SyncError(
                .unknownPartner,
                "The server at \(environment.session.origin.display) knows no partner called \(environment.partner). Check the name and the address.",
                cause: error)
        } catch let error as HTTPError {
            throw SyncError(error)
        }
        try environment.measured(answer)
        environment.report.note { state in
            state.listed[.partner] = 1
            state.extensions = extensions
        }
        guard let json = answer.json else {
            try recordIdentity(environment)
            return environment.identified(as: stored?.id ?? environment.partner, extensions: extensions)
        }
        let partner: Partner
        do {
            partner = try environment.reading(operation) { try Partner(json) }
        } catch let error as PayloadError {
            throw SyncError(
                .badAnswer, "\(error.message) This may not be the address of a catalogue: check --from.",
                cause: error)
        }
        if let stored, stored.id != partner.id {
            throw SyncError(
                .otherOrigin,
                "This mirror is of the partner \(stored.id), but the server answered with \(partner.id). Choose another name for a new mirror."
            )
        }
        try recordIdentity(environment)
        try await environment.applier.submit(
            .object(ObjectRecord(.partner, partner, etag: answer.etag, partner: partner.id)))
        return environment.identified(as: partner.id, extensions: extensions)
    }

    /// The environment for the stored partner, with the extensions that its server offers now. The partner isn't requested.
    static func known(_ environment: SyncEnvironment) async throws -> SyncEnvironment {
        if let known = try described(environment) { return known }
        let extensions = try await discoverExtensions(environment)
        let id = try environment.store.storedSingle(.partner)?.id ?? environment.partner
        return environment.identified(as: id, extensions: extensions)
    }

    /// The environment for the museum of a described source, without a request; `nil` for other sources.
    ///
    /// - Throws: ``SyncError`` if the mirror is of another partner.
    private static func described(_ environment: SyncEnvironment) throws -> SyncEnvironment? {
        guard let catalogue = environment.catalogue else { return nil }
        if let stored = try environment.store.storedSingle(.partner), stored.id != catalogue.partnerID {
            throw SyncError(
                .otherOrigin,
                "This mirror is of the partner \(stored.id), but the source is \(catalogue.partnerID). Choose another name for a new mirror."
            )
        }
        environment.report.note { state in
            state.listed[.partner] = 1
            state.offered = []
        }
        return environment.identified(as: catalogue.partnerID, extensions: [])
    }

    /// Stores the origin and the offered extensions, once the server has answered as the partner.
    private static func recordIdentity(_ environment: SyncEnvironment) throws {
        try environment.whenIdentified()
        try environment.rememberExtensions()
    }

    private static func operation(
        _ environment: SyncEnvironment, _ stored: (id: String, etag: String?, json: String)?
    ) -> ObjectOperation {
        ObjectOperation(
            Router(partner: stored?.id ?? environment.partner).partner(),
            known: environment.originChanged ? nil : stored?.etag,
            cache: environment.originChanged ? .bypass : .use, bodyLimit: ObjectOperation.bodyLimit,
            isReload: environment.options.full)
    }

    private static func extensionsOperation(_ environment: SyncEnvironment) -> ObjectOperation {
        ObjectOperation(
            environment.router.extensions(), cache: environment.originChanged ? .bypass : .use,
            isReload: environment.options.full)
    }

    private static func discoverExtensions(_ environment: SyncEnvironment) async throws -> Set<String> {
        let operation = extensionsOperation(environment)
        do {
            guard let names = try await environment.send(operation).json?["extensions"]?.arrayValue
            else { return [] }
            let offered = Set(names.compactMap(\.stringValue))
            environment.report.note { $0.offered = offered }
            return offered
        } catch let error as HTTPError {
            // The server's root may be an ordinary web page: then it offers no extensions.
            guard error.status != nil || error.code == .notJSON else { throw SyncError(error) }
            if error.isNotSupported { environment.report.note { $0.offered = [] } }
            return []
        }
    }
}
