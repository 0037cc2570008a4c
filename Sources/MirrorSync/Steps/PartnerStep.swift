import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// The root: what the server offers, and the partner itself. Puts out the partner's scope.
package struct PartnerStep: Step {
    package init() {}

    package func identity(of item: SyncEnvironment) -> String { item.partner }

    package func expand(_ input: SyncEnvironment, in context: StepContext) async throws -> Expansion<
        SyncEnvironment
    > {
        .one(input)
    }

    package func perform(_ item: SyncEnvironment, in context: StepContext) async throws -> [PartnerScope] {
        if let known = item.knownScope { return [known] }
        return [try await identify(item)]
    }

    /// Asks for what the server offers and for the partner, and stores that.
    static func identify(_ environment: SyncEnvironment) async throws -> PartnerScope {
        try await PartnerStep().identify(environment)
    }

    private func identify(_ item: SyncEnvironment) async throws -> PartnerScope {
        let extensions = try await discover(item)
        let stored = try item.store.storedSingle(.partner)
        let fetched: Fetched
        do {
            fetched = try await item.send(operation(item, stored))
        } catch let error as HTTPError where error.status == 404 {
            throw SyncError(
                .unknownPartner,
                "The server at \(item.session.origin.display) knows no partner called \(item.partner). Check the name and the address.",
                cause: error)
        } catch let error as HTTPError {
            throw SyncError(error)
        }
        try item.measured(fetched)
        item.report.note { state in
            state.listed[.partner] = 1
            state.extensions = extensions
        }
        guard case .body(let response) = fetched else {
            try recognise(item)
            return PartnerScope(item, id: stored?.id ?? item.partner, extensions: extensions)
        }
        var warnings: [FieldWarning] = []
        let partner: Partner
        do {
            partner = try item.reading(operation(item, stored)) {
                try Partner(response.jsonObject(), warnings: &warnings)
            }
        } catch let error as PayloadError {
            throw SyncError(
                .badAnswer, "\(error.message) This may not be the address of a catalogue: check --from.",
                cause: error)
        } catch let error as HTTPError {
            throw SyncError(error)
        }
        if let stored, stored.id != partner.id {
            throw SyncError(
                .otherOrigin,
                "This mirror is of the partner \(stored.id), but the server answered with \(partner.id). Choose another name for a new mirror."
            )
        }
        try recognise(item)
        try await item.applier.submit(.object(ObjectRecord(.partner, partner, etag: response.etag)))
        return PartnerScope(item, id: partner.id, extensions: extensions)
    }

    private func recognise(_ item: SyncEnvironment) throws {
        try item.recognised()
        try item.rememberExtensions()
    }

    /// What the server offers, for the partner that is stored: nothing is asked of the partner itself.
    static func scope(_ environment: SyncEnvironment) async throws -> PartnerScope {
        let extensions = try await PartnerStep().discover(environment)
        let id = try environment.store.storedSingle(.partner)?.id ?? environment.partner
        return PartnerScope(environment, id: id, extensions: extensions)
    }

    package func operations(performing item: SyncEnvironment) -> [FetchOperation] {
        [extensionsOperation(item), operation(item, nil)]
    }

    private func operation(_ item: SyncEnvironment, _ stored: (id: String, etag: String?, json: String)?)
        -> FetchOperation
    {
        let router = Router(partner: stored?.id ?? item.partner)
        return FetchOperation(
            router.partner(), known: item.isSwitch ? nil : stored?.etag,
            cache: item.isSwitch ? .bypass : .use, bodyLimit: FetchOperation.objectLimit,
            isReload: item.options.full)
    }

    private func extensionsOperation(_ item: SyncEnvironment) -> FetchOperation {
        FetchOperation(
            Router(partner: item.partner).extensions(), cache: item.isSwitch ? .bypass : .use,
            isReload: item.options.full)
    }

    /// What the server says that it offers beyond part 1; anything but a proper answer means nothing.
    private func discover(_ item: SyncEnvironment) async throws -> Set<String> {
        do {
            guard case .body(let response) = try await item.send(extensionsOperation(item)),
                let object = try? item.reading(extensionsOperation(item), response.jsonObject),
                let names = object["extensions"]?.arrayValue
            else { return [] }
            let offered = Set(names.compactMap(\.stringValue))
            item.report.note { $0.offered = offered }
            return offered
        } catch let error as HTTPError {
            guard error.status != nil else { throw SyncError(error) }
            if error.isNotOffered { item.report.note { $0.offered = [] } }
            return []
        }
    }
}
