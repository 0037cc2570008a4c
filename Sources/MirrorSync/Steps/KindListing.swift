import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Asks for one of the partner's own lists, stores it, and says which of its members must be looked at.
///
/// The list is always asked from the server. It is sweepable only if the server answered it completely in this run, and
/// no older than the one last applied. Members live in the database and are read back in chunks, so that memory stays
/// flat however many there are.
struct KindListing: Sendable {
    let scope: PartnerScope
    let kind: Kind

    var environment: SyncEnvironment { scope.environment }
    var store: CatalogueStore { environment.store }

    var name: ListName {
        let url = scope.router.list(kind).listURL ?? ""
        return ListName(url: url, owner: Owner(.partner, scope.id), name: kind.plural)
    }

    func operation(known: String?) -> FetchOperation {
        let isPrivate = kind == .location && !environment.report.current.notOffered.contains("private=true")
        let form: Router.ListForm = scope.hasValidators ? .validators : .ids
        return FetchOperation(
            scope.router.list(kind, form, includesPrivate: isPrivate), known: known, cache: .bypass,
            bodyLimit: Self.bodyLimit(environment.options.maxObjects), isReload: environment.options.full)
    }

    /// In bytes. It is held in memory while it is read, so it may be no longer than so many members take: with an id of 36
    /// characters and a SHA-256 as its ETag each has 122.
    static func bodyLimit(_ members: Int) -> Int {
        min(64 << 20 + 128 * max(0, min(members, 1 << 26)), 4 << 30)
    }

    func page(_ number: Int) -> Route { scope.router.list(kind, .page(number)) }

    func expand() async throws -> Expansion<ListedItem> {
        do {
            return try await listed()
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    private func listed() async throws -> Expansion<ListedItem> {
        try await environment.applier.flush()
        let earlier = try store.listState(name.url)
        let answer = try await ask(known: earlier?.known)
        if let answer {
            try environment.measured(answer)
            let end = answer.changesEnd
            environment.report.note { state in
                state.listDates[kind] = answer.madeAt
                state.changesEnd[kind] = end
            }
        }
        switch answer {
        case nil:
            try environment.foretell(hasValidators: scope.hasValidators)
            return Expansion([], complete: { false })
        case .current(_, let head):
            guard let earlier else {
                throw SyncError(
                    .badAnswer, "The server answered that a list is unchanged which this mirror doesn't have."
                )
            }
            // The list of before may be confirmed by something on the way that knows of nothing since.
            if let gap = try gap(madeAt: answer?.madeAt, than: nil) {
                try passOver(gap)
                note(listed: earlier.members, isComplete: false)
                try beginSampling(earlier.number, earlier.version)
                try expect(among: earlier.members, of: earlier.number, earlier.version)
                return members(
                    of: earlier.number, version: earlier.version, count: earlier.members, gap: gap)
            }
            _ = try store.apply([.confirmed(list: name.url)], run: environment.run)
            note(listed: earlier.members, isComplete: true)
            if isClean(earlier, etag: head.etag ?? earlier.etag) {
                vouch(earlier.members)
                try expect(.init())
                return .empty
            }
            try beginSampling(earlier.number, earlier.version)
            try expect(among: earlier.members, of: earlier.number, earlier.version)
            return members(of: earlier.number, version: earlier.version, count: earlier.members)
        case .body(let response):
            let (draft, count, isPaged, madeAt, unusable) = try await take(response)
            environment.report.note { $0.listBytes += response.body.count }
            let gap = try gap(madeAt: madeAt, than: earlier?.date, unusable)
            environment.report.note { $0.listDates[kind] = gap == nil ? madeAt : nil }
            if let gap {
                try passOver(gap)
            } else {
                // The ETag of a page says nothing about the others.
                let answer = ListAnswer(list: name, etag: isPaged ? nil : response.etag, date: madeAt)
                try store.commit(draft, answer: answer, count: count, run: environment.run)
            }
            note(listed: count, isComplete: gap == nil)
            try beginSampling(draft.number, draft.version)
            try expect(among: count, of: draft.number, draft.version)
            return members(of: draft.number, version: draft.version, count: count, gap: gap)
        }
    }

    /// `nil` if the server doesn't offer such a list.
    func ask(known: String?) async throws -> Fetched? {
        do {
            return try await environment.send(operation(known: known), for: name)
        } catch let error as HTTPError where kind == .location && (error.isNotOffered || error.status == 400)
        {
            // Not every server knows private=true.
            guard environment.report.isNotOffered("private=true") else { throw error }
            return try await ask(known: known)
        } catch let error as HTTPError where kind == .album && error.isNotOffered {
            _ = environment.report.isNotOffered("albums")
            return nil
        }
    }

    // MARK: - Taking the list in

    private typealias Taken = (
        draft: ListDraft, count: Int, isPaged: Bool, madeAt: Double?, unusable: UnusableElements
    )

    private func take(_ response: Response) async throws -> Taken {
        var intake = ListIntake(
            limit: environment.options.maxObjects, list: name, hasValidators: scope.hasValidators)
        var begun: ListDraft?
        try intake.scan(response) { members, position in
            if let begun {
                try store.append(members, to: begun, at: position)
            } else {
                begun = try store.begin(name, with: members)
            }
        }
        let madeAt = Fetched.body(response).madeAt
        guard intake.isPaged else {
            return (try begun ?? store.begin(name), intake.count, false, madeAt, intake.unusable)
        }
        // The server ignored ids=1 and answered a page of objects: all pages are asked for, the list is rebuilt. Any of them
        // may be older.
        let pages = try await PagedList(environment: environment, list: name, route: page).pages()
        let oldest = [madeAt, pages.madeAt].compactMap(\.self).min()
        let members = try pages.objects.map { try ListEntry(.object($0)) }.map {
            (id: $0.id, etag: String?.none, lists: String?.none)
        }
        return (try store.begin(name, with: members), members.count, true, oldest, pages.unusable)
    }

    // MARK: - Members

    private struct Cursor: Sendable {
        var position: Int64 = -1
        var items: [ListedItem] = []
    }

    private func members(
        of number: Int64, version: Int64, count: Int, gap: Gap? = nil
    ) -> Expansion<ListedItem> {
        let isComplete = gap?.isFailure != true, isOlder = gap?.isOlder == true
        return Expansion.unfolding(Cursor(), count: count, complete: { isComplete }) { cursor in
            while cursor.items.isEmpty {
                let chunk = try store.members(
                    of: number, version: version, kind: kind, after: cursor.position, limit: 500)
                guard let last = chunk.last else { return nil }
                cursor.position = last.position
                cursor.items = try items(of: chunk, isOlder: isOlder).reversed()
            }
            return cursor.items.removeLast()
        }
    }

    /// A plan asks only for some of those of which the list doesn't tell whether they changed.
    private func beginSampling(_ number: Int64, _ version: Int64) throws {
        guard let plan = environment.plan else { return }
        let undecided = try store.undecidedMembers(
            of: number, version: version, kind: kind, all: environment.isSwitch,
            full: environment.options.full)
        if undecided > 0 { plan.beginSampling(kind, among: undecided) }
    }

    /// Notes how many members will be asked for, or their pictures.
    private func expect(among count: Int, of number: Int64, _ version: Int64) throws {
        guard environment.plan == nil else { return }
        guard environment.hasLists else { return try expect(.init(new: count)) }
        let known = try store.membersToFetch(of: number, version: version, kind: kind)
        var expected = ExpectedMembers(
            new: known.new, changed: known.changed, undecided: known.undecided)
        if environment.options.media {
            let lacking = try store.picturesToFetch(of: kind, formats: environment.options.formats)
            (expected.lacking, expected.pictures) = lacking
        }
        try expect(expected)
    }

    private func expect(_ members: ExpectedMembers) throws {
        environment.report.note { $0.expected[kind] = members }
        try environment.foretell(hasValidators: scope.hasValidators)
    }

    private func items(of chunk: [ListedMember], isOlder: Bool) throws -> [ListedItem] {
        let triage = try MemberTriage(scope: scope, kind: kind, chunk: chunk)
        vouch(triage.vouched)
        guard isOlder else { return triage.items }
        return triage.items.map { item in
            var item = item
            item.isOfOlderList = true
            return item
        }
    }

    // MARK: - Facts

    /// Whether nothing at all has to be looked at while the list's ETag stays.
    private func isClean(_ state: ListState, etag: String?) -> Bool {
        let options = environment.options
        guard scope.hasValidators, !options.full, let clean = state.cleanETag, clean == etag else {
            return false
        }
        guard let wanted = options.mediaKey else { return true }
        return state.cleanFormats == wanted && !options.revalidateMedia
    }

    private func note(listed: Int, isComplete: Bool) {
        environment.report.note { state in
            state.listed[kind] = listed
            if isComplete { state.complete.insert(kind) }
        }
    }

    private func vouch(_ count: Int) {
        guard count > 0 else { return }
        environment.report.note { $0.vouched += count }
    }
}
