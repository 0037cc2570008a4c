import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// The user on whose behalf the server answers, where it says.
package struct UserStep: Step {
    package typealias Output = Never
    package init() {}

    package func identity(of item: PartnerScope) -> String { "me" }

    package func expand(_ input: PartnerScope, in context: StepContext) async throws -> Expansion<
        PartnerScope
    > {
        .one(input)
    }

    package func perform(_ item: PartnerScope, in context: StepContext) async throws -> [Never] {
        let environment = item.environment
        do {
            guard case .body(let response) = try await Self.ask(item) else {
                environment.report.note { $0.listed[.user] = 1 }
                return []
            }
            var warnings: [FieldWarning] = []
            let user = try environment.reading(Self.operation(item)) {
                try User(response.jsonObject(), warnings: &warnings)
            }
            environment.report.note { $0.listed[.user] = 1 }
            try await environment.applier.submit(.object(ObjectRecord(.user, user, etag: response.etag)))
        } catch let error as HTTPError where error.isNotOffered {
            _ = environment.report.isNotOffered("me")
        }
        return []
    }

    package func operations(performing item: PartnerScope) -> [FetchOperation] { [Self.operation(item)] }

    /// Asked once a run, whoever wants to know first.
    static func ask(_ item: PartnerScope) async throws -> Fetched {
        try await item.environment.me.fetched { try await item.environment.send(operation(item)) }
    }

    static func operation(_ item: PartnerScope) -> FetchOperation {
        let known = try? item.environment.store.storedSingle(.user)?.etag
        return FetchOperation(
            item.router.user(), known: known ?? nil, bodyLimit: FetchOperation.objectLimit,
            isReload: item.environment.options.full)
    }
}
