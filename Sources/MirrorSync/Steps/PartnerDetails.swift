import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// Fetches the user of this login, if the server sends one.
struct UserStep: SingleItemStep {
    func identity(of item: PartnerID) -> String { "me" }

    func perform(_ item: PartnerID, in context: SyncContext) async throws -> [Never] {
        let environment = context.environment
        guard environment.described == nil else { return [] }
        do {
            let answer = try await Self.fetch(environment)
            guard let json = answer.json else {
                environment.report.note { $0.listed[.user] = 1 }
                return []
            }
            let user = try environment.reading(Self.operation(environment)) {
                try User(json)
            }
            environment.report.note { $0.listed[.user] = 1 }
            try await environment.applier.submit(.object(ObjectRecord(.user, user, etag: answer.etag)))
        } catch let error as HTTPError where error.isNotSupported {
            _ = environment.report.isNotSupported("me")
        }
        return []
    }

    func operations(performing item: PartnerID, in context: SyncContext) -> [any RequestOperation] {
        context.environment.described == nil ? [Self.operation(context.environment)] : []
    }

    /// Fetches the user once a run; later callers get the same answer.
    static func fetch(_ environment: SyncEnvironment) async throws -> ObjectAnswer {
        try await environment.me.fetched { try await environment.send(operation(environment)) }
    }

    static func operation(_ environment: SyncEnvironment) -> ObjectOperation {
        let known = try? environment.store.storedSingle(.user)?.etag
        return ObjectOperation(
            environment.router.user(), known: known ?? nil, bodyLimit: ObjectOperation.bodyLimit,
            isReload: environment.options.full)
    }
}

/// Estimates the bytes that will be downloaded, before the first picture is fetched; shown as ``Totals``.
///
/// The estimate is the total that the server states, or else based on the sizes of the pictures and documents that this
/// mirror already has.
struct EstimateStep: SyncStep {
    func identity(of item: PartnerID) -> String { "size" }

    func expand(_ input: PartnerID, in context: SyncContext) async throws -> Expansion<PartnerID> {
        // A run that fetches only changes is estimated from the mirror's own history.
        let environment = context.environment
        return environment.options.media && !environment.isPulled && environment.described == nil
            ? .one(input) : .empty
    }

    func perform(_ item: PartnerID, in context: SyncContext) async throws -> [Never] {
        let environment = context.environment, history = try environment.store.sizeHistory(media: true)
        environment.report.note { $0.history = history }
        do {
            guard let size = try await environment.send(operation(environment)).json else { return [] }
            let total = size["total"]?.numberValue?.intValue.map(Int64.init)
            environment.report.note { $0.statedSize = total }
            if let total { try checkSpace(total, environment) }
        } catch let error as HTTPError where error.isNotSupported {
            _ = environment.report.isNotSupported("size")
        }
        return []
    }

    /// Fails before the first picture is requested if the disk is too small for all of them.
    ///
    /// The stated size is that of the formats that the server chooses by default. For other formats the size is unknown, so
    /// nothing is checked.
    private func checkSpace(_ stated: Int64, _ environment: SyncEnvironment) throws {
        guard environment.options.wantsStatedMedia else { return }
        do {
            let storedBytes = try environment.store.mediaSize()
            try environment.freeSpace.check(stated - storedBytes, at: environment.files.folder)
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

/// Reports to the server when the mirror was last used (`last_folio_access`); use by admins isn't reported.
struct MetadataStep: SingleItemStep {
    func identity(of item: PartnerID) -> String { "last_folio_access" }

    func perform(_ item: PartnerID, in context: SyncContext) async throws -> [Never] {
        let environment = context.environment
        guard environment.described == nil, try await !isAdmin(environment) else { return [] }
        let value = Self.timestamp(environment.now())
        do {
            _ = try await environment.send(WriteOperation(environment.router.partnerFlags(value: value)))
            try await environment.applier.submit(.flag(key: "last_folio_access", value: value))
            try environment.noteFlags(refused: nil)
        } catch let error as HTTPError where error.isRefusedWrite {
            try environment.noteFlags(refused: error)
        } catch let error as SyncError {
            // A login that may not write may still read: the partner has just been read with it, so the sync continues.
            guard let cause = error.cause as? HTTPError, cause.isRefusedWrite else { throw error }
            try environment.noteFlags(refused: cause)
        }
        return []
    }

    func operations(performing item: PartnerID, in context: SyncContext) -> [any RequestOperation] {
        let environment = context.environment, value = Self.timestamp(environment.now())
        guard environment.described == nil else { return [] }
        return [
            UserStep.operation(environment), WriteOperation(environment.router.partnerFlags(value: value)),
        ]
    }

    /// Whether the login is an admin's; requests the user if no other step has done so.
    private func isAdmin(_ environment: SyncEnvironment) async throws -> Bool {
        do {
            var user = try await UserStep.fetch(environment).json
            if user == nil, let stored = try environment.store.storedSingle(.user) {
                user = try JSONValue(parsing: stored.json).objectValue
            }
            return user?["type"]?.stringValue?.lowercased() == "admin"
        } catch let error as HTTPError where error.isNotSupported {
            return false
        }
    }

    static func timestamp(_ date: Date) -> String { date.formatted(.iso8601) }
}

extension SyncEnvironment {
    /// Requests the user before the tree runs, so that the request needs no round trip of its own.
    ///
    /// It is sent once, without waits, so that it doesn't hold up the pull. After a failure, the steps that need the user request
    /// it again.
    func requestUserEarly() async {
        guard !options.synchronous, described == nil,
            tree.nodes.contains(where: { $0.step is UserStep || $0.step is MetadataStep })
        else { return }
        let session = session.withSeparateWaits(upTo: .zero), operation = UserStep.operation(self)
        _ = try? await me.fetched { try await session.send(operation) }
    }
}

extension HTTPError {
    /// Whether the server refuses an optional write: it doesn't offer it at all, to this login, or in this form. An expired
    /// session, a timeout (408) and a rate limit (429) are not refusals.
    var isRefusedWrite: Bool {
        guard let status, reason != ErrorBody.credentialsExpired else { return false }
        return isNotSupported || (400...499).contains(status) && status != 408 && status != 429
    }
}

extension SyncEnvironment {
    /// Stores whether the server accepts the flag.
    ///
    /// A refusal is no failure, and is reported only by the first run in which this server refuses. The flag is sent again in
    /// each sync, because the login may be given the right to write it.
    ///
    /// - Parameter refused: the server's refusal; `nil` if it accepted the flag.
    /// - Throws: ``SyncError`` if the store can't be written.
    fileprivate func noteFlags(refused: HTTPError?) throws {
        let place = refused == nil ? nil : session.origin.display
        do {
            guard try store.flagsRefusedBy != place else { return }
            try store.setFlagsRefused(by: place)
        } catch let error as StoreError {
            throw SyncError(error)
        }
        guard let refused, report.isNotSupported("partner_flags") else { return }
        let status = refused.status.map { " (\($0))" } ?? ""
        report.problem(
            Problem(
                what: Problem.notSupported, kind: "partner", id: "partner_flags",
                message:
                    "The server does not accept the time of this mirror's last use (partner_flags)\(status), perhaps because this login may only read. The sync is complete without it, and this is not reported again."
            ))
    }
}
