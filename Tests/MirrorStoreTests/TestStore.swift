import Catalogue
import Foundation
import GRDB
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorStore

/// A store in a temporary folder, with short methods that fill it as a sync would.
final class TestStore {
    let store: CatalogueStore
    let folder: MirrorFolder
    private let home: TemporaryHome
    private let clock: Clock

    init() throws {
        home = try TemporaryHome()
        folder = try home.mirror("test")
        try folder.prepare()
        let clock = Clock()
        self.clock = clock
        store = try CatalogueStore.open(at: folder.database, now: { clock.time.withLock { $0 } })
    }

    deinit {
        try? store.close()
    }

    private final class Clock: Sendable {
        let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    }

    /// Moves the store's clock forwards, or back for a negative number. Default: 1 second.
    ///
    /// - Returns: the new time in the store's format.
    @discardableResult
    func pass(_ seconds: Double = 1) -> String {
        clock.time.withLock { $0 += seconds }
        return store.timestamp()
    }

    func beginRun() throws -> Int64 { try store.beginRun("sync") }

    /// Stores a kind's own list in a run, as a step would.
    func list(_ kind: Kind, _ ids: [String], run: Int64, etag: String? = nil, date: Double? = nil)
        throws
    {
        let name = Self.listName(kind)
        let draft = try store.begin(name)
        try store.append(ids.map { (id: $0, etag: nil, lists: nil) }, to: draft, at: 0)
        try store.commit(
            draft, answer: ListAnswer(list: name, etag: etag, date: date), count: ids.count, run: run)
    }

    func members(_ owner: Owner, _ ids: [String], run: Int64, date: Double? = nil) throws -> WriteEffect {
        let name = ListName(
            url: "/\(owner.kind.name)/\(owner.id)/artworks", owner: owner, name: "artworks")
        return try store.apply(
            [.members(list: ListAnswer(list: name, etag: nil, date: date), ids: ids)], run: run)[0]
    }

    @discardableResult
    func put(_ records: ObjectRecord..., run: Int64) throws -> [WriteEffect] {
        try store.apply(records.map { .object($0) }, run: run)
    }

    func finish(
        _ run: Int64, kinds: Set<Kind> = Set(Kinds.standard.listed), limit: DeleteGuard.Limit = .total(1000)
    ) throws -> FinishReport {
        var request = FinishRequest(run: run)
        request.kinds = kinds
        request.limit = limit
        return try store.finish(request)
    }

    func ids(_ kind: Kind, ghosts: Bool = false) throws -> [String] {
        try store.read {
            try String.fetchAll(
                $0, sql: "SELECT id FROM \"\(kind.table)\" WHERE ghost = ? ORDER BY id", arguments: [ghosts])
        }
    }

    func scalar<T: DatabaseValueConvertible>(_ sql: String, _ arguments: StatementArguments = []) throws -> T?
    {
        try store.read { try T.fetchOne($0, sql: sql, arguments: arguments) }
    }

    static func listName(_ kind: Kind) -> ListName {
        ListName(
            url: "/partner/p/\(kind.plural)?ids=1&size=all", owner: Owner(.partner, "p"),
            name: kind.plural)
    }
}

extension ObjectRecord {
    /// A record with the name or title `name`, and without other fields.
    static func make(
        _ kind: Kind, _ id: String, name: String = "A name", etag: String? = nil,
        artists: [String] = [],
        images: [String] = [], location: String? = nil
    ) -> ObjectRecord {
        let values = kind.columns.map { column -> FieldValue in
            column.name == (kind == .artwork ? "title" : "name") ? .text(name) : .null
        }
        var parts = Parts()
        parts.artists = artists
        parts.images = images.map { ImageRecord.make($0) }
        parts.location = location
        return ObjectRecord(
            kind: kind, id: id, values: values,
            json: #"{"id":\#(JSONValue.canonicalText(of: [id]).dropFirst().dropLast()),"name":"\#(name)"}"#,
            etag: etag,
            parts: parts)
    }
}

extension ImageRecord {
    static func make(_ id: String, entry: String = "e1") -> ImageRecord {
        let values = ImageEntry.columns.map { column -> FieldValue in
            switch column.name {
            case "image_url": .text("artwork/a/image/\(id)/larger.jpg")
            case "image_versions": .text(#"["square","larger"]"#)
            case "aspect_ratio": .real(1.5)
            default: .null
            }
        }
        return ImageRecord(
            id: id, values: values, entry: entry, json: #"{"id":"\#(id)","entry":"\#(entry)"}"#, served: nil)
    }
}
