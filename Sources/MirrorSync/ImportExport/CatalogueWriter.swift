import Catalogue
import MirrorStore

/// Writes the objects and lists of a catalogue's files, in transactions of 500 writes.
struct CatalogueWriter {
    let source: CatalogueFiles
    let store: CatalogueStore
    let files: FileStore
    let run: Int64
    let partner: String
    private(set) var albums: ImportedAlbums
    private(set) var waiting: [Write] = []
    private(set) var listed: [Kind: Int] = [:]
    /// The ids of artworks, by the id of their location.
    private(set) var artworksByLocation: [ExactText: [String]] = [:]
    /// Kinds whose file is missing, and lists with elements that have no usable id.
    private(set) var problems = ProblemList()
    /// Kinds whose file has lines without a usable id: no object of these kinds is deleted.
    private(set) var incomplete: Set<Kind> = []

    private var router: Router { Router(partner: partner) }

    /// Writes the whole catalogue.
    ///
    /// - Parameter user: `nil` if the catalogue has none; a stored user then stays.
    /// - Returns: the number of objects of each kind. A kind whose file is missing is not in it, and its objects don't change.
    mutating func writeAll(_ object: JSONObject, user: JSONObject?) throws -> [Kind: Int] {
        try write(.object(ObjectRecord(.partner, Partner(object), etag: nil)))
        listed[.partner] = 1
        if let user {
            try write(.object(ObjectRecord(.user, User(user), etag: nil)))
            listed[.user] = 1
        }
        for kind in store.kinds.listed { try writeKind(kind) }
        try writeLocationLists()
        try writeDocuments()
        try flush()
        return listed
    }

    // MARK: - Kinds

    private mutating func writeKind(_ kind: Kind) throws {
        let file = kind.catalogueFile
        let name = ListName(
            url: router.list(kind).listURL ?? "", owner: Owner(.partner, partner), name: kind.plural)
        let draft = try store.begin(name)
        var ids: [(id: String, etag: String?, lists: String?)] = []
        var seen = Set<ExactText>()
        if kind == .album { try albums.readPresent(in: store) }
        func append(_ id: String) { ids.append((id: id, etag: nil, lists: nil)) }
        let unusable = try source.lines(of: file) { object, line in
            guard let id = object["id"]?.idText, seen.insert(ExactText(id)).inserted else {
                throw SyncError(
                    .catalogue,
                    "\(file), line \(line), has the same id as an earlier line. Correct it and import again.")
            }
            guard let writes = try writes(kind, object) else { return }
            append(id)
            for write in writes { try self.write(write) }
        }
        guard let unusable else { return try noteMissing(kind) }
        try flush()
        if kind == .album { albums.madeHere(albums.here).forEach(append) }
        try store.append(ids, to: draft, at: 0)
        listed[kind] = ids.count
        guard unusable.isEmpty else {
            incomplete.insert(kind)
            return problems.add(ListProblem.incomplete(name, unusable, of: .catalogue))
        }
        try store.commit(
            draft, answer: ListAnswer(list: name, etag: nil, date: nil), count: ids.count, run: run)
    }

    /// The writes of one line; `nil` if the kind's list must not contain the object.
    private mutating func writes(_ kind: Kind, _ source: JSONObject) throws -> [Write]? {
        let entry = CatalogueMapping.entry(kind, fromCatalogue: source)
        let record = ObjectRecord(kind, try kind.type.init(entry.body), etag: nil)
        // Albums may have been edited locally.
        switch kind == .album ? albums.verdict(on: record, entry.artworkIDs) : .write {
        case .leave: return []
        case .omit: return nil
        case .write: break
        }
        if kind == .artwork, let location = source["location_id"]?.idText {
            artworksByLocation[ExactText(location), default: []].append(record.id)
        }
        let owner = Owner(kind, record.id)
        var writes = [Write.object(record)]
        for list in kind.lists {
            if list == .artworks, CatalogueMapping.namesMembers(kind) {
                let unusable = source["artwork_ids"]?.listedIDs().unusable
                writes.append(members(list, of: owner, entry.artworkIDs, unusable))
            } else if let role = list.imageRole {
                let images = try (entry.pictures[list] ?? []).map { ImageRecord(try ImageEntry($0)) }
                writes.append(
                    .showImages(show: owner.id, role: role, images: images, list: answer(list, of: owner)))
            }
        }
        return writes
    }

    /// Reports a missing file. A catalogue without objects of a kind has an empty file instead.
    private mutating func noteMissing(_ kind: Kind) throws {
        let effect =
            try store.serverCount(kind) > 0 ? "stored \(kind.plural) stay" : "no \(kind.plural) were imported"
        let file = kind.catalogueFile
        problems.add(
            Problem(
                what: "file", kind: kind.name, id: file,
                message:
                    "The catalogue has no \(file): \(effect). Add the file, an empty one if there are none, and import again."
            ))
    }

    // MARK: - Lists under objects

    /// Writes a list of artworks for every location, also an empty one.
    private mutating func writeLocationLists() throws {
        // Without the artworks' file their locations are unknown.
        guard listed[.location] != nil, try listed[.artwork] != nil || store.serverCount(.artwork) == 0 else {
            return
        }
        let isComplete = !incomplete.contains(.artwork)
        for location in try store.snapshot({ try $0.ids(.location, withKept: false) }).sorted() {
            let artworks = artworksByLocation[ExactText(location)] ?? []
            try write(members(.artworks, of: Owner(.location, location), artworks, isComplete: isComplete))
        }
    }

    private mutating func writeDocuments() throws {
        var ids: [Owner: [String]] = [:]
        for kind in store.kinds.all where kind.hasDocuments {
            for owner in try store.documentOwners(kind) { ids[Owner(kind, owner)] = [] }
        }
        let file = Kind.document.catalogueFile
        let unusable = try source.lines(of: file) { object, line in
            let mapped: CatalogueDocument
            do {
                mapped = try CatalogueMapping.document(
                    fromCatalogue: object, partner: partner, among: store.kinds)
            } catch let error as PayloadError {
                throw SyncError(.catalogue, "\(file), line \(line): \(error.message)", cause: error)
            }
            let record = DocumentRecord(
                try Document(mapped.body), owner: mapped.owner, partner: partner, etag: nil)
            ids[mapped.owner, default: []].append(record.id)
            try write(.document(record))
            guard let text = mapped.text else { return }
            try write(
                .file(
                    FileRecord(
                        .document(record.id, of: mapped.owner), entry: EntryDigest.of(record.json),
                        file: try files.store(Array(text.utf8), type: "text/plain"), etag: nil,
                        lastModified: nil, pixels: PixelSize.none)))
        }
        // The owner of a line without a usable id is unknown, so no list of documents is complete.
        let isComplete = unusable?.isEmpty ?? true
        if let unusable, !isComplete {
            let list = ListName(url: "", owner: Owner(.partner, partner), name: "documents")
            problems.add(ListProblem.incomplete(list, unusable, of: .catalogue))
        }
        for (owner, documents) in ids.sorted(by: { $0.key.id < $1.key.id }) {
            try write(members(.documents, of: owner, documents.sorted(), isComplete: isComplete))
        }
    }

    /// The write of a list's members.
    ///
    /// - Parameters:
    ///   - unusable: elements of the list without a usable id, which make it incomplete.
    ///   - isComplete: whether the list is complete apart from these elements.
    private mutating func members(
        _ list: ObjectList, of owner: Owner, _ ids: [String], _ unusable: UnusableElements? = nil,
        isComplete: Bool = true
    ) -> Write {
        let isUsable = unusable?.isEmpty ?? true
        let answer = answer(list, of: owner, isComplete: isComplete && isUsable)
        if let unusable, !isUsable {
            problems.add(ListProblem.incomplete(answer.list, unusable, of: .catalogue))
        }
        return .members(list: answer, ids: ids)
    }

    private func answer(_ list: ObjectList, of owner: Owner, isComplete: Bool = true) -> ListAnswer {
        let url = router.list(list, of: owner).listURL ?? ""
        return ListAnswer(
            list: ListName(url: url, owner: owner, name: list.rawValue), etag: nil, date: nil,
            isComplete: isComplete)
    }

    // MARK: - Writing

    private mutating func write(_ write: Write) throws {
        waiting.append(write)
        if waiting.count >= 500 { try flush() }
    }

    private mutating func flush() throws {
        try Task.checkCancellation()
        guard !waiting.isEmpty else { return }
        try files.syncNames(of: waiting.compactMap(\.file))
        _ = try store.apply(waiting, run: run)
        waiting.removeAll(keepingCapacity: true)
    }
}
