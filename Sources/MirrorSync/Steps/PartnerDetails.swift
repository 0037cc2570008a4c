import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// The user on whose behalf the server answers, where it says.
struct UserStep: SingleItemStep {
    func identity(of item: PartnerID) -> String { "me" }

    func perform(_ item: PartnerID, in context: SyncContext) async throws -> [Never] {
        let environment = context.environment
        do {
            let answer = try await Self.ask(environment)
            guard let json = answer.json else {
                environment.report.note { $0.listed[.user] = 1 }
                return []
            }
            let user = try environment.reading(Self.operation(environment)) {
                try User(json)
            }
            environment.report.note { $0.listed[.user] = 1 }
            try await environment.applier.submit(.object(ObjectRecord(.user, user, etag: answer.etag)))
        } catch let error as HTTPError where error.isNotOffered {
            _ = environment.report.isNotOffered("me")
        }
        return []
    }

    func operations(performing item: PartnerID, in context: SyncContext) -> [any RequestOperation] {
        [Self.operation(context.environment)]
    }

    /// Asked once a run, whoever wants to know first.
    static func ask(_ environment: SyncEnvironment) async throws -> ObjectAnswer {
        try await environment.me.fetched { try await environment.send(operation(environment)) }
    }

    static func operation(_ environment: SyncEnvironment) -> ObjectOperation {
        let known = try? environment.store.storedSingle(.user)?.etag
        return ObjectOperation(
            environment.router.user(), known: known ?? nil, bodyLimit: ObjectOperation.bodyLimit,
            isReload: environment.options.full)
    }
}

/// How much there is to come, before any picture starts: what the server states, else what this mirror's own pictures
/// and documents are like. It is shown as ``Totals``.
struct EstimateStep: SyncStep {
    func identity(of item: PartnerID) -> String { "size" }

    func expand(_ input: PartnerID, in context: SyncContext) async throws -> Expansion<PartnerID> {
        // Of what changed since the last time, the mirror's own history tells enough.
        context.environment.options.media && !context.environment.isPulled ? .one(input) : .empty
    }

    func perform(_ item: PartnerID, in context: SyncContext) async throws -> [Never] {
        let environment = context.environment, history = try environment.store.sizeHistory(media: true)
        environment.report.note { $0.history = history }
        do {
            guard let size = try await environment.send(operation(environment)).json else { return [] }
            let total = size["total"]?.numberValue?.intValue.map(Int64.init)
            environment.report.note { $0.statedSize = total }
            if let total { try checkSpace(total, environment) }
        } catch let error as HTTPError where error.isNotOffered {
            _ = environment.report.isNotOffered("size")
        }
        return []
    }

    /// A disk that can't take in what is to come is found before the first picture is asked for.
    ///
    /// What the server states is of the formats that it would give; of others nobody knows how much there is.
    private func checkSpace(_ stated: Int64, _ environment: SyncEnvironment) throws {
        guard environment.options.wantsStatedMedia else { return }
        do {
            let held = try environment.store.mediaSize()
            try environment.freeSpace.check(stated - held, at: environment.files.folder)
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    func operations(performing item: PartnerID, in context: SyncContext) -> [any RequestOperation] {
        [operation(context.environment)]
    }

    private func operation(_ environment: SyncEnvironment) -> ObjectOperation {
        ObjectOperation(environment.router.size(), isReload: environment.options.full)
    }
}

/// Tells the partner when its mirror was last used (`last_folio_access`); admins' visits don't count.
struct MetadataStep: SingleItemStep {
    func identity(of item: PartnerID) -> String { "last_folio_access" }

    func perform(_ item: PartnerID, in context: SyncContext) async throws -> [Never] {
        let environment = context.environment
        guard try await !isAdmin(environment) else { return [] }
        let value = Self.timestamp(environment.now())
        do {
            _ = try await environment.send(WriteOperation(environment.router.partnerFlags(value: value)))
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

    func operations(performing item: PartnerID, in context: SyncContext) -> [any RequestOperation] {
        let environment = context.environment, value = Self.timestamp(environment.now())
        return [
            UserStep.operation(environment), WriteOperation(environment.router.partnerFlags(value: value)),
        ]
    }

    /// Who is asking is known from the user's own step, or asked for here in its place.
    private func isAdmin(_ environment: SyncEnvironment) async throws -> Bool {
        do {
            var user = try await UserStep.ask(environment).json
            if user == nil, let stored = try environment.store.storedSingle(.user) {
                user = try JSONValue(parsing: stored.json).objectValue
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
