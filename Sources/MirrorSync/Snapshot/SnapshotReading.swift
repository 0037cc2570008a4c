import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Reads the lines of one answer, in their order, into parts to be written: what a canonical URL is answered with becomes the
/// write that the tree's steps make of it.
///
/// What can't be read, or isn't in order, ends it: what came before is kept.
struct SnapshotReading {
    let environment: SyncEnvironment
    let answer: SnapshotAnswer
    /// Behind which it goes on.
    private(set) var url: String
    private(set) var lines = 0
    private(set) var bytes = 0
    /// The partner's own lists, by URL.
    private(set) lazy var ownLists = Dictionary(
        uniqueKeysWithValues: environment.kinds.listed.compactMap { [router = environment.router] kind in
            router.list(kind).listURL.map { ($0, kind) }
        })

    private(set) var part = SnapshotPart()
    /// The first line.
    private(set) var head: (event: String?, count: Int)?
    /// Whether the last line came, and said that nothing is missing.
    private(set) var isWhole = false

    // MARK: - Lines

    mutating func take(_ line: UnsafeRawBufferPointer) throws {
        let line = try SnapshotLine(line)
        guard !isWhole else { throw SnapshotFailure.disorder }
        switch line {
        case .head(let event, let count, _):
            // Each kind has at most `maxObjects` objects, and each of them a few lists or documents at most.
            guard head == nil, count / 10 <= environment.options.maxObjects else {
                throw SnapshotFailure.disorder
            }
            head = (event, count)
            part.writes = environment.kinds.listed.map { .unclean(kind: $0, date: answer.date) }
            environment.report.note { $0.loading = .init(count: count) }
        case .entry(let url, let etag, let body):
            try count(url)
            take(url, etag, body)
        case .end(let count):
            guard let head, count == lines, head.count == lines else { throw SnapshotFailure.disorder }
            isWhole = true
        }
    }

    private mutating func count(_ url: String) throws {
        // An id has no NUL in it, encoded or not.
        guard let head, !isWhole, lines < head.count, !url.utf8.contains(0), !url.contains("%00"),
            self.url.utf8.lexicographicallyPrecedes(url.utf8)
        else { throw SnapshotFailure.disorder }
        lines += 1
        self.url = url
    }

    /// What was read since the last time.
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

    private mutating func take(_ url: String, _ etag: String?, _ body: [UInt8]) {
        part.lines += 1
        part.url = url
        part.bytes += body.count
        bytes += body.count
        // What has no ETag can't be vouched for later.
        if etag == nil { part.doubt = "\(url) has no ETag" }
        do {
            // Of any other URL than these this version knows nothing.
            if let kind = ownLists[url] {
                part.lists.append((kind, try ids(body)))
            } else if let resource = environment.router.resource(at: url, among: environment.kinds) {
                let write = try write(resource, url, etag, body)
                part.writes.append(write)
                // What the tree requests with the cache; lists it always requests from the server.
                guard resource.isObject else { return }
                environment.session.cache?.store(answer.entry(url, etag: etag, body: body))
            }
        } catch {
            // The tree requests it, and reports what is wrong with it.
            part.doubt = "\(url) can't be read"
        }
    }

    /// - Throws: for what can't be read, is too long, or is another object than the URL names.
    private func write(
        _ resource: CanonicalResource, _ url: String, _ etag: String?, _ body: [UInt8]
    ) throws -> Write {
        guard body.count <= ObjectOperation.bodyLimit || !resource.isObject else {
            throw SnapshotFailure.brokenLine
        }
        let partner = environment.partnerID
        switch resource {
        case .object(let kind, let id):
            // The user's address is the same for everybody, and the partner's may have its slug.
            let id = kind.isListed ? id : kind == .partner ? partner : nil
            let json = try environment.source.readObjects(body, of: kind).first?.json
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

    /// - Parameter id: what the object's id has to be; `nil` for any.
    private func read<Body: Payload>(_ type: Body.Type, _ json: JSONObject?, _ id: String?) throws -> Body {
        guard let json else { throw SnapshotFailure.brokenLine }
        let body = try Body.read(json, id: id, report: environment.report)
        // Alike is not the same.
        guard id.map({ UTF8Order.equal(body.id, $0) }) ?? true else { throw SnapshotFailure.brokenLine }
        return body
    }

    /// The ids of a list, which may be long: its elements are read one by one.
    private func ids(_ body: [UInt8]) throws -> [String] {
        var ids: [String] = []
        try JSONValue.readList(body) { ids.append(try ListEntry($0).id) }
        guard ids.count <= environment.options.maxObjects else { throw SnapshotFailure.disorder }
        return ids
    }
}

extension CanonicalResource {
    /// Whether it is one object or document.
    fileprivate var isObject: Bool { if case .list = self { false } else { true } }
}
