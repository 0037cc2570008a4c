import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Reads the lines of one answer into parts to be written.
///
/// Each entry becomes the same write that the tree's steps would make from that answer. An unreadable line, or one out of order,
/// ends the reading; the lines before it are kept.
struct SnapshotReading {
    let environment: SyncEnvironment
    let answer: SnapshotAnswer
    /// The URL of the last entry; the next one has to be greater.
    private(set) var url: String
    private(set) var lines = 0
    private(set) var bytes = 0
    /// The partner's own lists, by URL.
    private(set) lazy var ownLists = Dictionary(
        uniqueKeysWithValues: environment.kinds.listed.compactMap { [router = environment.router] kind in
            router.list(kind).listURL.map { ($0, kind) }
        })

    private(set) var part = SnapshotPart()
    /// The first line; `nil` before it was read.
    private(set) var head: (event: String?, count: Int)?
    /// Whether the last line was read and confirms the number of entries.
    private(set) var isWhole = false

    // MARK: - Lines

    mutating func process(_ line: UnsafeRawBufferPointer) throws {
        let line = try SnapshotLine(line)
        guard !isWhole else { throw SnapshotFailure.disorder }
        switch line {
        case .head(let event, let count, _):
            // A limit on the number of entries: each kind has at most `maxObjects` objects, each with a few lists or documents.
            guard head == nil, count / 10 <= environment.options.maxObjects else {
                throw SnapshotFailure.disorder
            }
            head = (event, count)
            part.writes = environment.kinds.listed.map { .markListNotClean(kind: $0, date: answer.date) }
            environment.report.note { $0.loading = .init(count: count) }
        case .entry(let url, let etag, let body):
            try countEntry(at: url)
            process(url, etag, body)
        case .end(let count):
            guard let head, count == lines, head.count == lines else { throw SnapshotFailure.disorder }
            isWhole = true
        }
    }

    /// Counts an entry, after checking that its URL is valid and follows the last one.
    private mutating func countEntry(at url: String) throws {
        // Ids don't contain NUL, neither raw nor percent-encoded.
        guard let head, !isWhole, lines < head.count, !url.utf8.contains(0), !url.contains("%00"),
            self.url.utf8.lexicographicallyPrecedes(url.utf8)
        else { throw SnapshotFailure.disorder }
        lines += 1
        self.url = url
    }

    /// Returns the lines that were read since the last call, as one part.
    mutating func takePart() -> SnapshotPart {
        defer {
            part = SnapshotPart()
            environment.report.note { [lines, bytes] state in
                state.loading?.taken = lines
                state.loading?.bytes = bytes
            }
        }
        return part
    }

    // MARK: - Entries

    private mutating func process(_ url: String, _ etag: String?, _ body: [UInt8]) {
        part.lines += 1
        part.url = url
        part.bytes += body.count
        bytes += body.count
        // Without an ETag, nothing vouches for the object later.
        if etag == nil { part.inconsistency = "\(url) has no ETag" }
        do {
            // Other URLs are ignored: they belong to later versions of the format.
            if let kind = ownLists[url] {
                part.lists.append((kind, try ids(body)))
            } else if let resource = environment.router.resource(at: url, among: environment.kinds) {
                let write = try write(resource, url, etag, body)
                part.writes.append(write)
                // Only objects and documents are cached: the tree always requests lists from the server.
                guard resource.isObject else { return }
                environment.session.cache?.store(answer.entry(url, etag: etag, body: body))
            }
        } catch {
            // The tree requests it again, and reports the problem.
            part.inconsistency = "\(url) can't be read"
        }
    }

    /// The write for an entry.
    ///
    /// - Throws: if the body can't be read, is too long, or is another object than that of the URL.
    private func write(
        _ resource: CanonicalResource, _ url: String, _ etag: String?, _ body: [UInt8]
    ) throws -> Write {
        guard body.count <= ObjectOperation.bodyLimit || !resource.isObject else {
            throw SnapshotFailure.brokenLine
        }
        let partner = environment.partnerID
        switch resource {
        case .object(let kind, let id):
            // The URL of the user contains no id, and that of the partner may contain its slug.
            let id = kind.isListed ? id : kind == .partner ? partner : nil
            let json = try environment.source.readObject(body, id: id ?? "", of: kind).json
            let object = try read(kind.type, json, id)
            return .object(ObjectRecord(kind, object, etag: etag, partner: partner))
        case .document(let owner, let id):
            let document = try read(Document.self, JSONValue(parsing: body).objectValue, id)
            return .document(DocumentRecord(document, owner: owner, partner: partner, etag: etag))
        case .list(let owner, let list):
            let answer = ListAnswer(
                list: ListName(url: url, owner: owner, name: list.rawValue), etag: etag, date: answer.date)
            guard let role = list.imageRole else { return .members(list: answer, ids: try ids(body)) }
            guard case .array(let elements) = try JSONValue(parsing: body) else {
                throw SnapshotFailure.brokenLine
            }
            var warnings: [FieldWarning] = []
            let images = try elements.map { element in
                guard let object = element.objectValue else { throw SnapshotFailure.brokenLine }
                return ImageRecord(try ImageEntry(object, warnings: &warnings), show: owner.id)
            }
            environment.report.fields(warnings, of: ImageEntry.kind)
            return .showImages(show: owner.id, role: role, images: images, list: answer)
        }
    }

    /// Reads an object.
    ///
    /// - Parameter id: the expected id; `nil` for any.
    private func read<Body: Payload>(_ type: Body.Type, _ json: JSONObject?, _ id: String?) throws -> Body {
        guard let json else { throw SnapshotFailure.brokenLine }
        let body = try Body.read(json, id: id, report: environment.report)
        // Swift's `==` also holds for ids that differ in their Unicode normalisation.
        guard id.map({ UTF8Order.equal(body.id, $0) }) ?? true else { throw SnapshotFailure.brokenLine }
        return body
    }

    /// The ids of a list. Its elements are decoded one by one, since it may be long.
    private func ids(_ body: [UInt8]) throws -> [String] {
        var ids: [String] = []
        try JSONValue.readList(body) { ids.append(try ListEntry($0).id) }
        guard ids.count <= environment.options.maxObjects else { throw SnapshotFailure.disorder }
        return ids
    }
}

extension CanonicalResource {
    /// Whether it is an object or document, and not a list.
    fileprivate var isObject: Bool { if case .list = self { false } else { true } }
}
