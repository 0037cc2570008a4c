import Catalogue
import CatalogueSources
import MirrorStore

/// Takes in the pages of a described list: stores the objects in them, and drafts the list of ids and versions.
///
/// An object whose version is the stored one isn't read. An object without a version gets a hash of what was read as its version.
struct ListIntake {
    let environment: SyncEnvironment
    let source: DescribedSource
    let kind: Kind
    let name: ListName
    /// Whether objects are read although their version is the stored one.
    var rereads = false

    /// The draft; `nil` before the first page.
    private(set) var draft: ListDraft?
    /// The number of different ids.
    private(set) var count = 0
    /// Whether rows have contained objects.
    private(set) var hasObjects = false
    /// Whether the list has versions of its objects.
    private(set) var hasVersions = false
    /// Objects that the server reports as deleted, and that no page contains.
    var gone: Set<ExactText> { reported.subtracting(seen) }
    private var reported: Set<ExactText> = []
    private var seen: Set<ExactText> = []

    init(_ environment: SyncEnvironment, _ source: DescribedSource, _ kind: Kind, _ name: ListName) {
        (self.environment, self.source, self.kind, self.name) = (environment, source, kind, name)
    }

    /// Continues a draft that an earlier run began.
    mutating func resume(_ draft: ListDraft, _ ids: [String]) {
        (self.draft, seen, count) = (draft, Set(ids.map(ExactText.init)), ids.count)
    }

    /// Takes in a page of the whole list.
    ///
    /// - Parameter crawl: how far the reading of the list is after this page; stored together with the page.
    mutating func take(_ page: SourcePage, crawl: String?) async throws {
        let limit = environment.options.maxObjects
        let rows = page.rows.filter { !$0.isGone }
        // An id may be known from a run that was killed before it stored the object.
        var members = try await store(rows, of: page)
        members.removeAll { !seen.insert(ExactText($0.id)).inserted }
        guard count + members.count <= limit else { throw ListProblem.tooMany(name, limit: limit) }
        hasVersions = hasVersions || members.contains { $0.etag != nil }
        reported.formUnion(page.rows.lazy.filter(\.isGone).map { ExactText($0.id) })
        // A page counts as read when its objects are stored.
        if crawl != nil { try await environment.applier.flush() }
        let draft = try self.draft ?? environment.store.begin(name)
        try environment.store.append(members, to: draft, at: count, crawl: crawl)
        self.draft = draft
        count += members.count
    }

    /// Takes in a page for the objects in it alone.
    mutating func takeObjects(_ page: SourcePage) async throws {
        _ = try await store(page.rows.filter { !$0.isGone }, of: page)
    }

    /// Takes in a page of changes: stores the objects in it, and marks other changed objects for refetching.
    ///
    /// - Returns: the changed objects, with their versions.
    mutating func takeChanges(_ page: SourcePage) async throws -> [ListReader.Member] {
        let rows = page.rows.filter { !$0.isGone }
        let members = try await store(rows, of: page)
        let stored = try environment.store.beside(kind, rows.map { ($0.id, $0.version, nil) })
        for (row, member) in zip(rows, stored) where row.object == nil && member.stored != .nothing {
            // A version that the list has is compared with the stored one later.
            guard row.version == nil else { continue }
            try await environment.applier.submit(.refetch(kind: kind, id: row.id))
        }
        return members
    }

    /// The draft; an empty one if there was no page with members.
    func finishedDraft() throws -> ListDraft { try draft ?? environment.store.begin(name) }

    /// Stores the objects in rows, if their versions differ from the stored ones.
    ///
    /// - Returns: the members of the list, with their versions.
    private mutating func store(_ rows: [SourceRow], of page: SourcePage) async throws -> [ListReader.Member]
    {
        guard rows.contains(where: { $0.object != nil }) else {
            return rows.map { (id: $0.id, etag: $0.version, lists: nil) }
        }
        hasObjects = true
        let stored = try environment.store.beside(kind, rows.map { ($0.id, $0.version, nil) })
        var members: [ListReader.Member] = []
        for (row, member) in zip(rows, stored) {
            var version = row.version
            if row.object != nil, rereads || !member.isCurrent,
                let found = try read(row, in: page)
            {
                version = version ?? found.version
                if member.stored != .row(etag: version, refetch: false) || rereads {
                    try await environment.store(found, of: kind, id: row.id, version: version)
                }
            }
            members.append((id: row.id, etag: version, lists: nil))
        }
        return members
    }

    /// The object in a row; `nil` if it can't be read. It is then requested by its own URL, which reports the error.
    private func read(_ row: SourceRow, in page: SourcePage) throws -> SourceObject? {
        do {
            let answer = try source.catalogue.reader.object(of: row, in: page, of: kind)
            return answer.object == nil ? nil : SourceObject(answer, source.catalogue)
        } catch is SourceReadingError {
            return nil
        }
    }
}

extension SyncEnvironment {
    /// Stores an object that was read from a list or a batch.
    ///
    /// A dry run stores nothing. It records what a sync will change (``predict(_:_:isSampled:)``).
    func store(_ found: SourceObject, of kind: Kind, id: String, version: String?) async throws {
        guard let json = found.json else { return }
        report.noteStarted(kind.name, id)
        do {
            let object = try kind.type.read(json, id: id, report: report)
            let writes = try writes(of: object, kind, version: version, found.related)
            guard !sender.isDryRun else { return try await predict(object, writes) }
            try await applier.submit(together: writes)
        } catch let failure as LastingFailure {
            report.problem(Problem(what: "object", kind: kind.name, id: id, message: failure.description))
        }
    }

    /// The writes of an object, with what it says about others.
    func writes(
        of object: any Payload, _ kind: Kind, version: String?, _ related: RelatedObjects?
    ) throws -> [Write] {
        var record = try record(of: object, kind, version: version)
        for (host, count) in related?.refusedPictures ?? [:] {
            report.note { $0.refusedPictures[host, default: 0] += count }
        }
        if let unusable = related?.unusablePictures, unusable > 0 {
            report.note { $0.unusablePictures += unusable }
        }
        guard let related, let described else { return [.object(record)] }
        if kind == .artwork {
            let gathered = described.gathered
            if gathered.contains(.artist) {
                record.parts.gathered += try related.artists.map { try gatheredRecord(.artist, $0) }
            }
            if let location = related.location, gathered.contains(.location) {
                record.parts.gathered.append(try gatheredRecord(.location, location))
            }
            if described.placesArtworks {
                record.parts.place = related.location?["id"]?.stringValue.map { .location($0) } ?? .none
            }
        }
        guard let members = related.members, kind.lists.contains(.artworks) else { return [.object(record)] }
        let owner = Owner(kind, object.id)
        let url = source.object(object.id, of: kind)?.canonicalURL ?? ""
        let list = ListAnswer(
            list: ListName(membersIn: url, of: owner),
            etag: nil,
            date: nil)
        return [.object(record), .members(list: list, ids: members)]
    }

    private func gatheredRecord(_ kind: Kind, _ json: JSONObject) throws -> ObjectRecord {
        var warnings: [FieldWarning] = []
        return ObjectRecord(
            kind, try kind.type.init(json, warnings: &warnings), etag: nil, partner: partnerID)
    }
}
