import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// A membership list of ids: the artworks of a show, album or location, or the documents of a show or artist.
struct SubList: Sendable {
    let environment: SyncEnvironment
    let under: OwnerLists
    let kind: ObjectList

    init(_ kind: ObjectList, of under: OwnerLists, _ environment: SyncEnvironment) {
        (self.kind, self.under, self.environment) = (kind, under, environment)
    }

    var name: ListName { under.name(of: kind) }

    private func route(_ form: Router.ListForm) -> Route {
        environment.router.list(kind, of: under.owner, form)
    }

    enum Answer: Sendable {
        /// The stored list is current, with this number of members; `isVouched` if the partner's list vouched for it, so that
        /// no request was made.
        case current(isVouched: Bool, members: Int)
        case notSupported
        case ids([String], ListAnswer)
    }

    func operation(known: String?, announced: String? = nil, stored: ListState? = nil) -> ListOperation {
        ListOperation(
            route(.ids), known: known, cache: .bypass, isReload: environment.options.full,
            subject: .list(kind, under.owner, announced: announced, stored: stored))
    }

    /// Requests the list unless the partner's list vouches for it.
    ///
    /// - Parameter mayBeMissing: whether servers may leave out such a list. If so, that is no error.
    func request(mayBeMissing: Bool) async throws -> Answer {
        let state = try under.state(of: name, environment), listed = under.listed?[kind.rawValue]
        let isComplete = state?.complete == true && !(kind == .documents && state?.pending == true)
        let known = isComplete ? state?.etag : nil
        if let known, !environment.options.full, listed == known {
            try await environment.confirm(name, state)
            environment.report.note { $0.vouched += 1 }
            return .current(isVouched: true, members: state?.members ?? 0)
        }
        do {
            let operation = operation(
                known: known, announced: under.announcedETag(of: kind.rawValue, state, environment),
                stored: state)
            let fetched = try await environment.send(operation, for: name)
            try await environment.checkStaleness(
                of: fetched, announced: listed, known: known, under.owner.kind, under.owner.id,
                "its \(kind.rawValue)")
            switch fetched {
            case .current:
                try await environment.confirm(name, state)
                return .current(isVouched: false, members: state?.members ?? 0)
            case .body(let response):
                let (ids, answer) = try await read(response)
                return .ids(ids, answer)
            }
        } catch let error as HTTPError where mayBeMissing && error.isNotSupported && listed == nil {
            return .notSupported
        }
    }

    /// Requests the list even if the partner's list vouches for it; returns `nil` if the server answers that it is unchanged.
    ///
    /// - Parameter known: the ETag for a conditional request; `nil` to get the complete list in any case.
    func requestAgain(known: String? = nil) async throws -> (ids: [String], answer: ListAnswer)? {
        let operation = ListOperation(
            route(.ids), known: known, cache: .bypass, isReload: environment.options.full)
        guard case .body(let response) = try await environment.send(operation, for: name) else { return nil }
        return try await read(response)
    }

    private func read(_ response: Response) async throws -> (ids: [String], answer: ListAnswer) {
        let list = name
        var ids: [String] = []
        var reader = ListReader(environment, list: list)
        try reader.read(response) { members, _ in ids += members.map(\.id) }
        guard reader.isPage else {
            environment.report.incomplete(list, reader.unusable)
            let answer = ListAnswer(
                list: list, etag: response.etag, date: Fetched.body(response).madeAt,
                isComplete: reader.unusable.isEmpty)
            return (ids, answer)
        }
        let pages = try await PagedList(environment: environment, list: list) { page in
            try await environment.checkStaleness(
                of: page, announced: nil, under.owner.kind, under.owner.id, "its \(kind.rawValue)")
        } route: {
            route(.page($0))
        }.pages()
        environment.report.incomplete(list, pages.unusable)
        let answer = ListAnswer(list: list, etag: nil, date: pages.madeAt, isComplete: pages.unusable.isEmpty)
        return (pages.entries.map(\.id), answer)
    }
}

/// Fetches the ids of the artworks of a show, album or location, in order.
struct MembersStep: SyncStep {
    /// The kind of the objects that own the lists.
    let kind: Kind

    init(of kind: Kind) { self.kind = kind }

    func identity(of item: Never) -> String {}
    func listIdentity(of input: OwnerLists) -> String { input.url(of: .artworks) }

    func expand(_ input: OwnerLists, in context: SyncContext) async throws -> Expansion<Never> {
        let list = SubList(.artworks, of: input, context.environment)
        guard case .ids(let ids, let answer) = try await list.request(mayBeMissing: kind == .album) else {
            return .empty
        }
        try await context.environment.applier.submit(.members(list: answer, ids: ids))
        return Expansion([], complete: { answer.isComplete })
    }

    func perform(_ item: Never, in context: SyncContext) async throws -> [Never] {}

    func operations(expanding input: OwnerLists, in context: SyncContext) -> [any RequestOperation] {
        [SubList(.artworks, of: input, context.environment).operation(known: nil)]
    }
}

/// An object, and the ETags of its membership lists.
struct OwnerLists: Sendable {
    let owner: Owner
    /// The partner's id, which is a part of the lists' URLs.
    let partner: String
    /// The lists' ETags by name, as the server's list of objects has them; `nil` if it has none.
    var listed: [String: String]?
    /// The stored states of these lists, by name; `nil` if they were not read from the store.
    var states: [String: ListState]?

    /// The list's URL, which identifies it in reports.
    func url(of list: ObjectList) -> String { Router(partner: partner).list(list, of: owner).listURL ?? "" }

    func name(of list: ObjectList) -> ListName {
        ListName(url: url(of: list), owner: owner, name: list.rawValue)
    }

    func state(of list: ListName, _ environment: SyncEnvironment) throws -> ListState? {
        if let states { return states[list.name] }
        return environment.hasLists ? try environment.store.listState(list.url) : nil
    }

    /// The list's ETag as the server announced it; `nil` if it can't be compared with a stored one.
    func announcedETag(of name: String, _ state: ListState?, _ environment: SyncEnvironment) -> String? {
        environment.originChanged || (state != nil && state?.etag == nil) ? nil : listed?[name]
    }
}
