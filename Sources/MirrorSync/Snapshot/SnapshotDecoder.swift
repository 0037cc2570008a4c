import Catalogue
import MirrorHTTP
import MirrorStore

/// Makes of what a canonical URL is answered with what the tree's steps make of it: the same writes.
struct SnapshotDecoder {
    let router: Router
    let report: SyncReport
    /// When the answer was made, in seconds since 1970.
    let date: Double?
    /// The partner's own lists, by URL.
    private let ownLists: [String: Kind]

    init(router: Router, report: SyncReport, date: Double?) {
        self.router = router
        self.report = report
        self.date = date
        ownLists = Dictionary(
            uniqueKeysWithValues: Kinds.standard.listed.compactMap { kind in
                router.list(kind).listURL.map { ($0, kind) }
            })
    }

    enum Item {
        case write(Write)
        /// One of the partner's own lists; its body has the ids.
        case ownList(Kind)
        /// A URL of which this version knows nothing.
        case unknown
    }

    /// What a list of ids is of, which may be longer than is held at once; `nil` for anything else.
    func list(_ url: String, etag: String?) -> LongList.Target? {
        if let kind = ownLists[url] { return .own(kind) }
        guard case .list(let owner, .artworks)? = router.resource(at: url) else { return nil }
        let name = ListName(url: url, owner: owner, name: ObjectList.artworks.rawValue)
        return .members(ListAnswer(list: name, etag: etag, date: date))
    }

    /// Whether a URL is that of one object or document.
    func isObject(_ url: String) -> Bool {
        switch router.resource(at: url) {
        case .list?, nil: false
        default: true
        }
    }

    /// - Throws: ``PayloadError``, ``JSONError``, ``SyncError`` for what can't be read, or is another object than the URL
    ///   names.
    func item(_ url: String, etag: String?, body: [UInt8]) throws -> Item {
        guard let resource = router.resource(at: url) else {
            return ownLists[url].map { .ownList($0) } ?? .unknown
        }
        switch resource {
        case .object(let kind, let id):
            // The user's address is the same for everybody, and the partner's may have its slug.
            let object = try read(
                kind.type, kind.isListed ? id : kind == .partner ? router.partnerID : nil, body)
            return .write(.object(ObjectRecord(kind, object, etag: etag, partner: router.partnerID)))
        case .document(let owner, let id):
            let document = try read(Document.self, id, body)
            return .write(
                .document(DocumentRecord(document, owner: owner, partner: router.partnerID, etag: etag)))
        case .list(let owner, let list):
            let name = ListName(url: url, owner: owner, name: list.rawValue)
            return .write(try members(ListAnswer(list: name, etag: etag, date: date), list, body))
        }
    }

    private func members(_ answer: ListAnswer, _ list: ObjectList, _ body: [UInt8]) throws
        -> Write
    {
        guard case .array(let elements) = try JSONValue(parsing: body) else { throw Self.unreadable }
        switch list {
        case .artworks, .documents:
            return .members(list: answer, ids: try elements.map { try ListEntry($0).id })
        case .installationShots, .cover:
            var warnings: [FieldWarning] = []
            let images = try elements.map { element in
                guard case .object(let object) = element else { throw Self.unreadable }
                return try ImageEntry(object, warnings: &warnings)
            }
            note(warnings, kind: "image")
            let show = answer.list.owner.id
            return .showImages(
                show: show, role: list == .cover ? .cover : .installation,
                images: images.map { ImageRecord($0, show: show) },
                list: answer)
        }
    }

    private func read<Body: Payload>(_ type: Body.Type, _ id: String?, _ body: [UInt8]) throws -> Body {
        guard case .object(let object) = try JSONValue(parsing: body) else { throw Self.unreadable }
        var warnings: [FieldWarning] = []
        let payload = try Body(object, warnings: &warnings)
        guard id == nil || UTF8Order.equal(payload.id, id ?? "") else { throw Self.unreadable }
        note(warnings, kind: Body.kind)
        return payload
    }

    private func note(_ warnings: [FieldWarning], kind: String) {
        for warning in warnings {
            report.problem(Problem(what: "field", kind: kind, id: warning.id, message: warning.description))
        }
    }

    private static let unreadable = SyncError(
        .badAnswer, "The server's snapshot has an object that can't be read.")
}
