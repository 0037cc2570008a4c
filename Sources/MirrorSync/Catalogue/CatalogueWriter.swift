import Catalogue
import MirrorStore

/// Writes the objects and lists of a catalogue's files, 500 to a transaction.
final class CatalogueWriter {
    private let source: CatalogueFolder
    private let store: CatalogueStore
    private let files: FileStore
    private let run: Int64
    private let partner: String
    private let router: Router
    private var waiting: [Write] = []
    private var listed: [Kind: Int] = [:]
    /// Which artworks say that they are where.
    private var places: [ExactText: [String]] = [:]
    private var warnings: [FieldWarning] = []
    private(set) var albums: ImportedAlbums
    /// Kinds whose file is missing, and lists with elements that have no usable id.
    private(set) var problems: [Problem] = []
    /// Problems beyond the first thousand.
    private(set) var furtherProblems = 0
    /// Kinds whose file has lines without a usable id: what it lacks is not removed.
    private(set) var incomplete: Set<Kind> = []

    /// - Throws: ``SyncError`` if what was noted at the last import can't be read.
    init(source: CatalogueFolder, store: CatalogueStore, files: FileStore, run: Int64, partner: String) throws
    {
        self.source = source
        self.store = store
        self.files = files
        self.run = run
        self.partner = partner
        self.router = Router(partner: partner)
        self.albums = try ImportedAlbums(stored: store.importedAlbums)
    }

    /// - Returns: how many of each kind there are; kinds whose file is missing are left as they are.
    func writeAll(_ object: JSONObject) throws -> [Kind: Int] {
        try write(.object(ObjectRecord(.partner, Partner(object, warnings: &warnings), etag: nil)))
        listed[.partner] = 1
        try writeKind(.location, "locations.jsonl") { source in
            let body = try Location(CatalogueMapping.location(fromCatalogue: source), warnings: &warnings)
            return [.object(ObjectRecord(.location, body, etag: nil))]
        }
        try writeKind(.artist, "artists.jsonl") { source in
            let body = try Artist(CatalogueMapping.artist(fromCatalogue: source), warnings: &warnings)
            return [.object(ObjectRecord(.artist, body, etag: nil))]
        }
        try writeKind(.artwork, "artworks.jsonl") { source in
            let (json, place) = CatalogueMapping.artwork(fromCatalogue: source)
            let body = try Artwork(json, warnings: &warnings)
            if let place { places[ExactText(place), default: []].append(body.id) }
            return [.object(ObjectRecord(.artwork, body, etag: nil))]
        }
        try writeAlbums()
        try writeKind(.show, "shows.jsonl") { try showWrites($0) }
        try writePlaces()
        try writeDocuments()
        try flush()
        return listed
    }

    // MARK: - Kinds

    /// - Parameters:
    ///   - writes: of what is in one line; `nil` if the list doesn't name it.
    ///   - others: what the list names beside what is in the file; asked for once that was read.
    private func writeKind(
        _ kind: Kind, _ file: String, _ writes: (JSONObject) throws -> [Write]?,
        others: () -> [String] = { [] }
    ) throws {
        let url = router.list(kind).listURL ?? ""
        let name = ListName(url: url, owner: Owner(.partner, partner), name: kind.plural)
        let draft = try store.begin(name)
        var ids: [(id: String, etag: String?, lists: String?)] = [], count = 0
        var seen = Set<ExactText>()
        func appendMembers() throws {
            try store.append(ids, to: draft, at: count)
            count += ids.count
            ids.removeAll(keepingCapacity: true)
        }
        let unusable = try source.lines(of: file) { object, line in
            guard let id = object["id"]?.idText, seen.insert(ExactText(id)).inserted else {
                throw SyncError(
                    .catalogue,
                    "\(file), line \(line), has an id that an earlier line has. Mend it and import again.")
            }
            guard let writes = try writes(object) else { return }
            ids.append((id: id, etag: nil, lists: nil))
            if ids.count == 10_000 { try appendMembers() }
            for write in writes { try self.write(write) }
        }
        guard let unusable else { return try missed(kind, file) }
        try flush()
        ids += others().map { (id: $0, etag: nil, lists: nil) }
        try appendMembers()
        listed[kind] = count
        guard unusable.isEmpty else {
            incomplete.insert(kind)
            return note(ListProblem.incomplete(name, unusable, of: .catalogue))
        }
        try store.commit(
            draft, answer: ListAnswer(list: name, etag: nil, date: nil), count: count, run: run)
    }

    private func note(_ problem: Problem) {
        guard problems.count < 1_000 else { return furtherProblems += 1 }
        problems.append(problem)
    }

    /// A catalogue without a file says nothing of its kind; one that has none of a kind has an empty file.
    private func missed(_ kind: Kind, _ file: String) throws {
        let effect = try store.heldCount(kind) > 0 ? "what is stored of them stays" : "none were imported"
        note(
            Problem(
                what: "file", kind: kind.name, id: file,
                message:
                    "The catalogue has no \(file): \(effect). Add the file, an empty one if there are none, and import again."
            ))
    }

    /// Albums may have been edited on the catalogue as well: ``ImportedAlbums`` has the rules.
    private func writeAlbums() throws {
        let (here, all) = try store.snapshot {
            (try $0.ids(.album, withKept: false), Set(try $0.ids(.album).map(ExactText.init)))
        }
        let served = Set(here.map(ExactText.init))
        try writeKind(.album, "albums.jsonl") { source in
            let (json, artworks) = CatalogueMapping.album(fromCatalogue: source)
            let body = try Album(json, warnings: &warnings)
            let record = ObjectRecord(.album, body, etag: nil)
            let version = EntryDigest.of(
                record.json + JSONValue.array(artworks.map(JSONValue.string)).canonicalText)
            let id = ExactText(body.id)
            switch albums.verdict(
                on: body.id, version: version,
                served.contains(id) ? .here : all.contains(id) ? .restored : .absent)
            {
            case .leave: return []
            case .omit: return nil
            case .write:
                let route = router.list(.artworks, of: Owner(.album, body.id))
                let unusable = source["artwork_ids"]?.listedIDs().unusable
                return [
                    .object(record), members(route, Owner(.album, body.id), "artworks", artworks, unusable),
                ]
            }
        } others: {
            albums.madeHere(here)
        }
    }

    private func showWrites(_ source: JSONObject) throws -> [Write] {
        let mapped = CatalogueMapping.show(fromCatalogue: source)
        let show = try Show(mapped.body, warnings: &warnings)
        func images(_ objects: [JSONObject], _ role: ImageRole) throws -> Write {
            let records = try objects.map { ImageRecord(try ImageEntry($0, warnings: &warnings)) }
            let name = role == .cover ? ObjectList.cover : .installationShots
            let list = ListName(
                url: router.list(name, of: Owner(.show, show.id)).listURL ?? "",
                owner: Owner(.show, show.id), name: name.rawValue)
            return .showImages(
                show: show.id, role: role, images: records, list: ListAnswer(list: list, etag: nil, date: nil)
            )
        }
        return [
            .object(ObjectRecord(.show, show, etag: nil)),
            members(
                router.list(.artworks, of: Owner(.show, show.id)), Owner(.show, show.id), "artworks",
                mapped.artworkIDs,
                source["artwork_ids"]?.listedIDs().unusable),
            try images(mapped.images, .installation),
            try images([mapped.cover].compactMap(\.self), .cover),
        ]
    }

    /// Every location has a list, if an empty one.
    private func writePlaces() throws {
        // Without the artworks nobody knows where they are.
        guard listed[.location] != nil, try listed[.artwork] != nil || store.heldCount(.artwork) == 0 else {
            return
        }
        for location in try store.snapshot({ try $0.ids(.location, withKept: false) }).sorted() {
            let artworks = places[ExactText(location)] ?? []
            try write(
                members(
                    router.list(.artworks, of: Owner(.location, location)), Owner(.location, location),
                    "artworks", artworks,
                    isComplete: !incomplete.contains(.artwork)))
        }
    }

    private func writeDocuments() throws {
        var ids: [Owner: [String]] = [:]
        for kind in [Kind.show, .artist] {
            for owner in try store.documentOwners(kind) { ids[Owner(kind, owner)] = [] }
        }
        let unusable = try source.lines(of: "documents.jsonl") { object, line in
            let mapped: CatalogueMapping.Document
            do {
                mapped = try CatalogueMapping.document(fromCatalogue: object, partner: partner)
            } catch let error as PayloadError {
                throw SyncError(.catalogue, "documents.jsonl, line \(line): \(error.message)", cause: error)
            }
            let owner = mapped.owner
            let document = try Document(mapped.body, warnings: &warnings)
            let record = DocumentRecord(document, owner: owner, partner: partner, etag: nil)
            ids[owner, default: []].append(document.id)
            try write(.document(record))
            guard let text = mapped.text else { return }
            let file = try files.store(Array(text.utf8), type: "text/plain")
            try write(
                .file(
                    FileRecord(
                        .document(document.id, of: owner), entry: EntryDigest.of(record.json), file: file,
                        etag: nil, lastModified: nil)))
        }
        // Whose document such a line is, nobody knows.
        let isComplete = unusable?.isEmpty ?? true
        if let unusable, !isComplete {
            let list = ListName(url: "", owner: Owner(.partner, partner), name: "documents")
            note(ListProblem.incomplete(list, unusable, of: .catalogue))
        }
        for (owner, documents) in ids.sorted(by: { $0.key.id < $1.key.id }) {
            let route =
                owner.kind == .show
                ? router.list(.documents, of: Owner(.show, owner.id))
                : router.list(.documents, of: Owner(.artist, owner.id))
            try write(members(route, owner, "documents", documents.sorted(), isComplete: isComplete))
        }
    }

    /// - Parameters:
    ///   - unusable: elements of the list that have no usable id.
    ///   - isComplete: whether nothing else is missing from it.
    private func members(
        _ route: Route, _ owner: Owner, _ name: String, _ ids: [String], _ unusable: UnusableElements? = nil,
        isComplete: Bool = true
    ) -> Write {
        let list = ListName(url: route.listURL ?? "", owner: owner, name: name)
        let isUsable = unusable?.isEmpty ?? true
        if let unusable, !isUsable { note(ListProblem.incomplete(list, unusable, of: .catalogue)) }
        let answer = ListAnswer(list: list, etag: nil, date: nil, isComplete: isComplete && isUsable)
        return .members(list: answer, ids: ids)
    }

    // MARK: - Writing

    private func write(_ write: Write) throws {
        waiting.append(write)
        if waiting.count >= 500 { try flush() }
    }

    private func flush() throws {
        try Task.checkCancellation()
        guard !waiting.isEmpty else { return }
        try files.syncNames(of: waiting.compactMap(\.file))
        _ = try store.apply(waiting, run: run)
        waiting.removeAll(keepingCapacity: true)
    }
}
