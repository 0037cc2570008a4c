import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import OperationTree

/// Requests the partner's list of a kind, stores it, and outputs the members that have to be processed.
///
/// The list is always requested from the server. A list may be swept only if the server answered it completely in this run,
/// and if it isn't older than the one last applied. Members are stored in the database and read back in chunks, so that
/// memory use doesn't grow with their number.
struct ObjectListing: Sendable {
    let environment: SyncEnvironment
    let kind: Kind

    private var store: CatalogueStore { environment.store }

    var name: ListName {
        let url = environment.described.map { $0.listURL(of: kind) } ?? environment.router.list(kind).listURL
        return ListName(url: url ?? "", owner: Owner(.partner, environment.partnerID), name: kind.plural)
    }

    /// The request for the list; `nil` if the source has no list of the kind.
    func operation(known: String?) -> ListOperation? {
        guard let request = environment.source.list(of: kind) else { return nil }
        let isRefused = request.fallback.map {
            environment.report.current.notSupported.contains($0.parameter)
        }
        let route = isRefused == true ? request.fallback?.route ?? request.route : request.route
        return ListOperation(
            route, known: known, cache: .bypass, bodyLimit: Self.bodyLimit(environment.options.maxObjects),
            isReload: environment.options.full)
    }

    /// The largest answer that is accepted, in bytes, for a list of at most `members` members.
    ///
    /// The answer is held in memory while it is read. With an id of 36 characters and a SHA-256 as its ETag, a member takes
    /// 122 bytes; 128 are allowed.
    static func bodyLimit(_ members: Int) -> Int {
        min(64 << 20 + 128 * max(0, min(members, 1 << 26)), 4 << 30)
    }

    func expand() async throws -> Expansion<ObjectItem> {
        if let source = environment.described { return try await expand(source) }
        try await environment.applier.flush()
        let earlier = try store.listState(name.url)
        let answer = try await request(known: earlier?.conditionalETag)
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
            if let obstacle = try sweepObstacle(madeAt: answer?.madeAt, storedList: nil) {
                try report(obstacle)
                note(listed: earlier.members, isComplete: false)
                return try members(
                    of: earlier.number, earlier.version, count: earlier.members,
                    isComplete: !obstacle.isFailure, isOlder: obstacle.isOlder)
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
            let list = try await read(response)
            environment.report.note { $0.listBytes += response.body.count }
            let obstacle = try sweepObstacle(madeAt: list.madeAt, storedList: earlier?.date, list.unusable)
            environment.report.note { $0.listDates[kind] = obstacle == nil ? list.madeAt : nil }
            if let obstacle {
                try report(obstacle)
            } else {
                let answer = ListAnswer(
                    list: name, etag: list.isPaged ? nil : response.etag, date: list.madeAt)
                try store.commit(list.draft, answer: answer, count: list.count, run: environment.run)
            }
            note(listed: list.count, isComplete: obstacle == nil)
            return try members(
                of: list.draft.number, list.draft.version, count: list.count,
                isComplete: obstacle?.isFailure != true, isOlder: obstacle?.isOlder == true)
        }
    }

    /// Requests the list; returns `nil` if the server doesn't offer it.
    func request(known: String?) async throws -> Fetched? {
        guard let operation = operation(known: known) else { return nil }
        do {
            return try await environment.send(operation, for: name)
        } catch let error as HTTPError where error.isNotSupported || error.status == 400 {
            if let fallback = environment.source.list(of: kind)?.fallback,
                environment.report.isNotSupported(fallback.parameter)
            {
                return try await request(known: known)
            }
            guard kind == .album, error.isNotSupported else { throw error }
            _ = environment.report.isNotSupported(kind.plural)
            return nil
        }
    }

    // MARK: - Reading the list

    /// The list, read page by page.
    func pages() -> PagedList {
        PagedList(environment: environment, list: name) { [environment, kind] in
            environment.source.page($0, of: kind)
        }
    }

    /// A list that was read into a draft.
    private struct ReadList {
        let draft: ListDraft
        var count: Int
        var isPaged = false
        var madeAt: Double?
        var unusable = UnusableElements()
    }

    private func read(_ response: Response) async throws -> ReadList {
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
                return ReadList(
                    draft: try begun ?? store.begin(name), count: reader.count,
                    madeAt: Fetched.body(response).madeAt, unusable: reader.unusable)
            }
        }
        let pages = try await pages().pages(
            first: environment.source.list(of: kind)?.isPaged == true ? response : nil)
        let members = pages.entries.map(ListReader.member)
        return ReadList(
            draft: try store.begin(name, with: members), count: members.count, isPaged: true,
            madeAt: [Fetched.body(response).madeAt, pages.madeAt].compactMap(\.self).min(),
            unusable: pages.unusable)
    }

    // MARK: - Members

    private struct Cursor: Sendable {
        var position: Int64 = -1
        var items: [ObjectItem] = []
    }

    /// The members that have to be processed.
    ///
    /// - Parameters:
    ///   - isComplete: whether the list is complete.
    ///   - isOlder: whether it is older than the stored one.
    ///   - absent: members that are left out, because the server didn't have them a short time ago.
    func members(
        of number: Int64, _ version: Int64, count: Int, isComplete: Bool = true, isOlder: Bool = false,
        leavingOut absent: Set<ExactText> = []
    ) throws -> Expansion<ObjectItem> {
        try expect(among: count, of: number, version)
        return Expansion.unfolding(Cursor(), count: count, complete: { isComplete }) { cursor in
            while cursor.items.isEmpty {
                let chunk = try store.members(
                    of: number, version: version, kind: kind, after: cursor.position, limit: 500)
                guard let last = chunk.last else { return nil }
                cursor.position = last.position
                let present = absent.isEmpty ? chunk : chunk.filter { !absent.contains(ExactText($0.id)) }
                let triage = try ObjectTriage(present, of: kind, isOfOlderList: isOlder, environment)
                vouch(triage.vouched)
                cursor.items = triage.items.reversed()
            }
            return cursor.items.removeLast()
        }
    }

    /// Records how many members, and how many pictures of unchanged members, will be requested.
    private func expect(among count: Int, of number: Int64, _ version: Int64) throws {
        guard environment.hasLists else { return try expect(.init(new: count)) }
        let known = try store.membersToFetch(of: number, version: version, kind: kind)
        var expected = ExpectedMembers(new: known.new, changed: known.changed, undecided: known.undecided)
        if environment.options.media {
            (expected.withoutRequest, expected.pictures) = try store.picturesToFetch(
                of: kind, formats: environment.options.pictureFormats)
        }
        try expect(expected)
    }

    private func expect(_ members: ExpectedMembers) throws {
        environment.report.note { $0.expected[kind] = members }
        try environment.forecastIfComplete()
    }

    /// Whether no member needs processing because the list has the ETag with which it was last processed without failures.
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
}
