import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

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
            try environment.noteFlags(refused: nil)
        } catch let error as HTTPError where error.isRefusedWrite {
            try environment.noteFlags(refused: error)
        } catch let error as SyncError {
            // What this login may not write, it may still read: the partner has just been read with it.
            guard let cause = error.cause as? HTTPError, cause.isRefusedWrite else { throw error }
            try environment.noteFlags(refused: cause)
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

extension HTTPError {
    /// Whether the server doesn't take an optional write: it has no such thing, not for this login, or not in this form. A session
    /// that has ended is another matter, and so is one that asks to slow down.
    var isRefusedWrite: Bool {
        guard let status, reason != ErrorBody.credentialsExpired else { return false }
        return isNotOffered || (400...499).contains(status) && status != 408 && status != 429
    }
}

extension SyncEnvironment {
    /// Takes down whether the server takes the flag. That it doesn't is reported by the first run that meets it, and no failure;
    /// the flag is offered again each time, as logins may come to be allowed it.
    ///
    /// - Throws: ``SyncError`` if the store can't be written.
    fileprivate func noteFlags(refused: HTTPError?) throws {
        // Another server is another matter.
        let place = refused == nil ? nil : session.origin.display
        do {
            guard try store.flagsRefusedBy != place else { return }
            try store.setFlagsRefused(by: place)
        } catch let error as StoreError {
            throw SyncError(error)
        }
        guard let refused, report.isNotOffered("partner_flags") else { return }
        let status = refused.status.map { " (\($0))" } ?? ""
        report.problem(
            Problem(
                what: Problem.notOffered, kind: "partner", id: "partner_flags",
                message:
                    "The server does not take the time of this mirror's last use (partner_flags)\(status), perhaps because this login may only read. The sync is complete without it, and this is not reported again."
            ))
    }
}
