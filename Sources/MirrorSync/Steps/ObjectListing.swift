import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// Requests the partner's list of a kind, stores it, and says which of its members have to be looked at.
///
/// The list is always requested from the server. It may be swept only if the server answered it completely in this run, and no older
/// than the one last applied. Members live in the database and are read back in chunks, so that memory stays flat
/// however many there are.
struct ObjectListing: Sendable {
    let environment: SyncEnvironment
    let kind: Kind

    private var store: CatalogueStore { environment.store }

    var name: ListName {
        ListName(
            url: environment.router.list(kind).listURL ?? "", owner: Owner(.partner, environment.partnerID),
            name: kind.plural)
    }

    /// `nil` if the source keeps no list of the kind.
    func operation(known: String?) -> ListOperation? {
        guard let request = environment.source.list(of: kind) else { return nil }
        let isRefused = request.fallback.map { environment.report.current.notOffered.contains($0.parameter) }
        let route = isRefused == true ? request.fallback?.route ?? request.route : request.route
        return ListOperation(
            route, known: known, cache: .bypass, bodyLimit: Self.bodyLimit(environment.options.maxObjects),
            isReload: environment.options.full)
    }

    /// In bytes. It is held in memory while it is read, so it may be no longer than so many members take: with an id of 36
    /// characters and a SHA-256 as its ETag each has 122.
    static func bodyLimit(_ members: Int) -> Int {
        min(64 << 20 + 128 * max(0, min(members, 1 << 26)), 4 << 30)
    }

    func expand() async throws -> Expansion<ObjectItem> {
        try await environment.applier.flush()
        let earlier = try store.listState(name.url)
        let answer = try await request(known: earlier?.known)
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
            try environment.forecastIfComplete()
            return Expansion([], complete: { false })
        case .current(_, let head):
            guard let earlier else {
                throw SyncError(
                    .badAnswer, "The server answered that a list is unchanged which this mirror doesn't have."
                )
            }
            if let gap = try gap(madeAt: answer?.madeAt, than: nil) {
                try report(gap)
                note(listed: earlier.members, isComplete: false)
                return try members(of: earlier.number, earlier.version, count: earlier.members, gap: gap)
            }
            _ = try store.apply([.confirmed(name)], run: environment.run)
            note(listed: earlier.members, isComplete: true)
            if isClean(earlier, etag: head.etag ?? earlier.etag) {
                vouch(earlier.members)
                try expect(.init())
                return .empty
            }
            return try members(of: earlier.number, earlier.version, count: earlier.members)
        case .body(let response):
            let list = try await take(response)
            environment.report.note { $0.listBytes += response.body.count }
            let gap = try gap(madeAt: list.madeAt, than: earlier?.date, list.unusable)
            environment.report.note { $0.listDates[kind] = gap == nil ? list.madeAt : nil }
            if let gap {
                try report(gap)
            } else {
                let answer = ListAnswer(
                    list: name, etag: list.isPaged ? nil : response.etag, date: list.madeAt)
                try store.commit(list.draft, answer: answer, count: list.count, run: environment.run)
            }
            note(listed: list.count, isComplete: gap == nil)
            return try members(of: list.draft.number, list.draft.version, count: list.count, gap: gap)
        }
    }

    /// `nil` if the server doesn't offer such a list.
    func request(known: String?) async throws -> Fetched? {
        guard let operation = operation(known: known) else { return nil }
        do {
            return try await environment.send(operation, for: name)
        } catch let error as HTTPError where error.isNotOffered || error.status == 400 {
            if let fallback = environment.source.list(of: kind)?.fallback,
                environment.report.isNotOffered(fallback.parameter)
            {
                return try await request(known: known)
            }
            guard kind == .album, error.isNotOffered else { throw error }
            _ = environment.report.isNotOffered(kind.plural)
            return nil
        }
    }

    // MARK: - Taking the list in

    /// The list in pages.
    func pages() -> PagedList {
        PagedList(environment: environment, list: name) { [environment, kind] in
            environment.source.page($0, of: kind)
        }
    }

    private struct Taken {
        let draft: ListDraft
        var count: Int
        var isPaged = false
        var madeAt: Double?
        var unusable = UnusableElements()
    }

    private func take(_ response: Response) async throws -> Taken {
        var reader = ListReader(environment, list: name), begun: ListDraft?
        if environment.source.list(of: kind)?.isPaged != true {
            try reader.read(response) { members, position in
                if let begun {
                    try store.append(members, to: begun, at: position)
                } else {
                    begun = try store.begin(name, with: members)
                }
            }
            guard reader.isPage else {
                return Taken(
                    draft: try begun ?? store.begin(name), count: reader.count,
                    madeAt: Fetched.body(response).madeAt, unusable: reader.unusable)
            }
        }
        let pages = try await pages().pages(
            first: environment.source.list(of: kind)?.isPaged == true ? response : nil)
        let members = pages.entries.map(ListReader.member)
        return Taken(
            draft: try store.begin(name, with: members), count: members.count, isPaged: true,
            madeAt: [Fetched.body(response).madeAt, pages.madeAt].compactMap(\.self).min(),
            unusable: pages.unusable)
    }

    // MARK: - Members

    private struct Cursor: Sendable {
        var position: Int64 = -1
        var items: [ObjectItem] = []
    }

    private func members(of number: Int64, _ version: Int64, count: Int, gap: Gap? = nil) throws
        -> Expansion<ObjectItem>
    {
        try expect(among: count, of: number, version)
        let isComplete = gap?.isFailure != true, isOlder = gap?.isOlder == true
        return Expansion.unfolding(Cursor(), count: count, complete: { isComplete }) { cursor in
            while cursor.items.isEmpty {
                let chunk = try store.members(
                    of: number, version: version, kind: kind, after: cursor.position, limit: 500)
                guard let last = chunk.last else { return nil }
                cursor.position = last.position
                let triage = try ObjectTriage(chunk, of: kind, isOfOlderList: isOlder, environment)
                vouch(triage.vouched)
                cursor.items = triage.items.reversed()
            }
            return cursor.items.removeLast()
        }
    }

    /// Notes how many members will be requested, or their pictures.
    private func expect(among count: Int, of number: Int64, _ version: Int64) throws {
        guard environment.hasLists else { return try expect(.init(new: count)) }
        let known = try store.membersToFetch(of: number, version: version, kind: kind)
        var expected = ExpectedMembers(new: known.new, changed: known.changed, undecided: known.undecided)
        if environment.options.media {
            (expected.lacking, expected.pictures) = try store.picturesToFetch(
                of: kind, formats: environment.options.formats)
        }
        try expect(expected)
    }

    private func expect(_ members: ExpectedMembers) throws {
        environment.report.note { $0.expected[kind] = members }
        try environment.forecastIfComplete()
    }

    /// Whether nothing at all has to be looked at while the list's ETag stays.
    private func isClean(_ state: ListState, etag: String?) -> Bool {
        let options = environment.options
        guard environment.hasValidators, !options.full, let clean = state.cleanETag, clean == etag else {
            return false
        }
        guard let wanted = options.mediaKey else { return true }
        return state.cleanFormats == wanted && !options.revalidateMedia
    }

    private func note(listed: Int, isComplete: Bool) {
        let maySweep = isComplete && environment.source.deletion(of: kind) == .absence
        environment.report.note { state in
            state.listed[kind] = listed
            if maySweep { state.complete.insert(kind) }
        }
    }

    private func vouch(_ count: Int) {
        guard count > 0 else { return }
        environment.report.note { $0.vouched += count }
    }

    // MARK: - Lists that aren't taken for all that the server has

    /// Why nothing that a list lacks is removed.
    private enum Gap {
        /// It was made before the one last applied, or before what came past that.
        case older
        /// Some of its elements have no usable id.
        case unusable(UnusableElements)
        /// It lacks what is private, where there was a list with that: a server that knew such a list may only be in trouble.
        case lacksPrivate

        /// Whether the run is incomplete because of it.
        var isFailure: Bool { if case .lacksPrivate = self { false } else { true } }
        var isOlder: Bool { if case .older = self { true } else { false } }
    }

    /// - Parameter list: when the list was made that is stored, where another came.
    private func gap(
        madeAt: Double?, than list: Double?, _ unusable: UnusableElements = UnusableElements()
    ) throws -> Gap? {
        if try isOlder(madeAt, than: list) { return .older }
        if !unusable.isEmpty { return .unusable(unusable) }
        return try lacksPrivate() ? .lacksPrivate : nil
    }

    private func isOlder(_ madeAt: Double?, than list: Double?) throws -> Bool {
        let applied = environment.originChanged ? nil : try store.appliedDate(kind)
        return [list, applied].contains {
            AnswerAge.isOlder(madeAt, than: $0, now: environment.now().timeIntervalSince1970)
        }
    }

    /// What such a list brings, the stored list doesn't name: that this one is unchanged no longer tells that there is
    /// nothing to sweep.
    private func report(_ gap: Gap) throws {
        _ = try store.apply([.unclean(kind: kind)], run: environment.run)
        switch gap {
        case .lacksPrivate:
            environment.logger.notice(
                "The \(name.title) came without those that are private, so nothing it lacks is removed this time."
            )
        case .unusable(let elements): environment.report.incomplete(name, elements)
        case .older:
            environment.report.problem(
                Problem(
                    what: "older list", kind: kind.name, id: nil,
                    message:
                        "The \(name.title) was older than what was last applied, so nothing it lacks was removed. The next sync asks again."
                ))
        }
    }

    /// Whether this is a list of locations without those that are private, and the one before had them: that a server doesn't
    /// offer those is no failure, and removes nothing. The next run takes it as it is.
    private func lacksPrivate() throws -> Bool {
        guard let parameter = environment.source.list(of: kind)?.fallback?.parameter else { return false }
        let state = environment.report.current, isRefused = state.notOffered.contains(parameter)
        let had = try store.hasPrivateLocations
        if had == isRefused { try store.setPrivateLocations(!isRefused) }
        if had && isRefused { environment.report.note { $0.lacksPrivate = true } }
        return state.lacksPrivate || had && isRefused
    }
}
