import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree
import PartnerAPI

/// Tells the partner when its mirror was last used (`last_folio_access`); admins' visits don't count.
package struct MetadataStep: Step {
    package typealias Output = Never

    package enum Operation: Sendable {
        case me(FetchOperation)
        case flag(WriteOperation)
    }

    package init() {}

    package func identity(of item: PartnerScope) -> String { "last_folio_access" }

    package func expand(_ input: PartnerScope, in context: StepContext) async throws -> Expansion<
        PartnerScope
    > {
        .one(input)
    }

    package func perform(_ item: PartnerScope, in context: StepContext) async throws -> [Never] {
        let environment = item.environment
        if let plan = environment.plan {
            // Who asks is known from the user's own step.
            plan.willSend(1, confirmations: 1)
            return []
        }
        guard try await !isAdmin(item) else { return [] }
        let value = Self.timestamp(environment.now())
        do {
            _ = try await environment.send(WriteOperation(item.router.partnerFlags(value: value)))
            try await environment.applier.submit(.flag(key: "last_folio_access", value: value))
        } catch let error as HTTPError where error.isNotOffered || error.reason == "read_only" {
            _ = environment.report.isNotOffered("partner_flags")
        }
        return []
    }

    package func operations(performing item: PartnerScope) -> [Operation] {
        let value = Self.timestamp(item.environment.now())
        return [.me(UserStep.operation(item)), .flag(WriteOperation(item.router.partnerFlags(value: value)))]
    }

    /// Who is asking is known from the user's own step, or asked for here in its place.
    private func isAdmin(_ item: PartnerScope) async throws -> Bool {
        do {
            let user: JSONObject?
            switch try await UserStep.ask(item) {
            case .body(let response):
                user = try item.environment.reading(UserStep.operation(item), response.jsonObject)
            case .current:
                let stored = try item.environment.store.storedSingle(.user)
                user = try stored.flatMap { try JSONValue(parsing: $0.json).objectValue }
            }
            return user?["type"]?.stringValue?.lowercased() == "admin"
        } catch let error as HTTPError where error.isNotOffered {
            return false
        }
    }

    static func timestamp(_ date: Date) -> String { date.formatted(.iso8601) }
}
