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
            // Who asks, and the flag itself.
            plan.willSend(2, confirmations: 2)
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
        return [.me(me(item)), .flag(WriteOperation(item.router.partnerFlags(value: value)))]
    }

    /// Asked through the cache: who is asking is known from the user's own step, or costs a 304.
    private func isAdmin(_ item: PartnerScope) async throws -> Bool {
        do {
            guard case .body(let response) = try await item.environment.send(me(item)) else { return false }
            let type = try response.jsonObject()["type"]?.stringValue
            return type?.lowercased() == "admin"
        } catch let error as HTTPError where error.isNotOffered {
            return false
        }
    }

    private func me(_ item: PartnerScope) -> FetchOperation { FetchOperation(item.router.user()) }

    static func timestamp(_ date: Date) -> String { date.formatted(.iso8601) }
}
