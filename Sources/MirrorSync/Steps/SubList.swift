import Catalogue
import MirrorHTTP
import MirrorStore

/// A list under an object: a show's, album's or location's artworks, or documents.
struct SubList: Sendable {
    let scope: ObjectScope
    let name: String
    let route: @Sendable (Router.ListForm) -> Route
    let list: ListName

    init(scope: ObjectScope, name: String, route: @escaping @Sendable (Router.ListForm) -> Route) {
        self.scope = scope
        self.name = name
        self.route = route
        list = ListName(url: route(.ids).listURL ?? "", owner: scope.owner, name: name)
    }

    enum Answer: Sendable {
        /// It is as it is stored, with so many members; `isVouched` if the partner's list said so and no request was made.
        case current(isVouched: Bool, members: Int)
        case notOffered
        case ids([String], ListAnswer)
    }

    func operation(known: String?) -> FetchOperation {
        FetchOperation(
            route(.ids), known: known, cache: .bypass, isReload: scope.environment.options.full)
    }

    /// Asks for the list unless the partner's list vouches for it.
    ///
    /// - Parameter mayBeMissing: whether a server need not offer such a list.
    func ask(mayBeMissing: Bool) async throws -> Answer {
        let environment = scope.environment
        let state = try scope.state(of: list)
        // A list of documents that a killed run took in may lack some: its ETag vouches for nothing.
        let isWhole = state?.complete == true && !(name == "documents" && state?.pending == true)
        let known = isWhole ? state?.etag : nil
        if let known, !environment.options.full, scope.lists?[name] == known {
            try await confirm(state)
            environment.report.note { $0.vouched += 1 }
            return .current(isVouched: true, members: state?.members ?? 0)
        }
        if let plan = environment.plan {
            let isBare =
                try state?.pending == false || name == "documents"
                || environment.store.members(of: scope.owner).isEmpty
            plan.willAsk(
                name == "documents" ? .documents : .artworks, of: scope.owner,
                etag: scope.tellingETag(of: name, state), stored: state, isBare: isBare)
            if plan.isEmpty(scope.tellingETag(of: name, state)) {
                try await environment.applier.submit(
                    .members(list: ListAnswer(list: list, etag: nil, date: nil), ids: []))
            }
            return .current(isVouched: false, members: state?.members ?? 0)
        }
        do {
            let fetched = try await environment.send(operation(known: known), for: list)
            try await scope.partner.weigh(
                fetched, announced: scope.lists?[name], known: known, of: scope.owner.kind, scope.owner.id,
                "its \(name)")
            switch fetched {
            case .current:
                try await confirm(state)
                return .current(isVouched: false, members: state?.members ?? 0)
            case .body(let response):
                let (ids, answer) = try await read(response)
                return .ids(ids, answer)
            }
        } catch let error as HTTPError
            where mayBeMissing && error.isNotOffered && scope.lists?[name] == nil
        {
            // What the server has just said to have is not there for a moment, at the most.
            return .notOffered
        }
    }

    /// Asks for the list whatever the partner's list says of it; `nil` if the server says that nothing changed.
    ///
    /// - Parameter known: the ETag on which to ask; `nil` to have the whole list in any case.
    func askAgain(known: String? = nil) async throws -> (ids: [String], answer: ListAnswer)? {
        let fetched = try await scope.environment.send(operation(known: known), for: list)
        guard case .body(let response) = fetched else { return nil }
        return try await read(response)
    }

    /// What still waits to be joined is confirmed in this run; anything else needs no write.
    private func confirm(_ state: ListState?) async throws {
        if state?.pending == true, name == "artworks" { scope.environment.plan?.willJoin(scope.owner) }
        if state?.pending == true { try await scope.environment.applier.submit(.confirmed(list: list.url)) }
    }

    private func read(_ response: Response) async throws -> (ids: [String], answer: ListAnswer) {
        var ids: [String] = []
        let environment = scope.environment
        var intake = ListIntake(limit: environment.options.maxObjects, list: list, repeats: true)
        try intake.scan(response) { members, _ in ids += members.map(\.id) }
        let date = Fetched.body(response).madeAt
        guard intake.isPaged else {
            environment.report.incomplete(list, intake.unusable)
            let answer = ListAnswer(
                list: list, etag: response.etag, date: date, isComplete: intake.unusable.isEmpty)
            return (ids, answer)
        }
        let pages = try await PagedList(environment: environment, list: list) { page in
            try await scope.partner.weigh(
                page, announced: nil, of: scope.owner.kind, scope.owner.id, "its \(name)")
        } route: {
            route(.page($0))
        }.pages()
        environment.report.incomplete(list, pages.unusable)
        // The ETag of a page says nothing about the others, and any may be older.
        return (
            pages.objects.compactMap { $0["id"]?.idText },
            ListAnswer(list: list, etag: nil, date: pages.madeAt, isComplete: pages.unusable.isEmpty)
        )
    }
}
