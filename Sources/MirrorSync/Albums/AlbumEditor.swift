import Catalogue
import MirrorStore

/// Edits albums of a mirror, at any time, beside a sync too.
///
/// In a mirror an edit waits for the next sync, which pushes it. A catalogue that was made by import is the authority
/// itself: there it is done at once.
///
/// ```swift
/// let editor = try AlbumEditor(mirror.store(editing: true))
/// let album = try editor.create(AlbumChange(name: "For the fair"))
/// _ = try editor.set("4711", in: album, present: true)
/// ```
public struct AlbumEditor: Sendable {
    let store: CatalogueStore
    /// Whether the mirror is a catalogue that was made by import.
    public let isCatalogue: Bool
    /// So many random hexadecimal digits.
    let random: @Sendable (_ digits: Int) -> String

    /// An editor of the albums in this store, which must be open for editing. The store is to be closed by whoever opened it.
    ///
    /// - Throws: ``StoreError``, as every edit does: `readOnly`, `locked` beside a writer that does not end, `diskFull`.
    public init(_ store: CatalogueStore) throws { try self.init(store, random: AlbumEditor.digits) }

    package init(_ store: CatalogueStore, random: @escaping @Sendable (_ digits: Int) -> String) throws {
        self.store = store
        self.random = random
        isCatalogue = try store.isCatalogue
    }

    private static func digits(_ count: Int) -> String {
        String((0..<count).map { _ in "0123456789abcdef".randomElement() ?? "0" })
    }

    /// Makes an album.
    ///
    /// - Returns: its id; in a mirror only until the server has given it another. It is found under this one all the same.
    public func create(_ fields: AlbumChange) throws -> String {
        let id = random(24)
        var json = fields.applied(to: ["id": .string(id)])
        if isCatalogue {
            json["updated_at"] = .string(store.timestamp())
            return try store.acceptAlbum(record(json))
        }
        try store.createAlbum(record(json), key: random(32))
        return id
    }

    /// Changes an album's own fields. What is so already changes nothing.
    ///
    /// - Returns: whether the album is there.
    public func change(_ id: String, by change: AlbumChange) throws -> Bool {
        guard isCatalogue else {
            return try store.editAlbum(id, newKey: { random(32) }) { json in
                var fields = try Self.fields(json)
                // An album that was made here kept its first id in there once others had edited it.
                fields["id"] = .string(id)
                return try record(change.applied(to: fields))
            }
        }
        return try store.changeAlbum(id) { album in
            let fields = try Self.fields(album.json)
            var json = change.applied(to: fields)
            guard json != fields else { return nil }
            json["updated_at"] = .string(store.timestamp())
            return try record(json)
        }
    }

    /// Adds an artwork at the album's end, or takes it out. Idempotent.
    ///
    /// - Returns: whether album and artwork are there.
    public func set(_ artwork: String, in album: String, present: Bool) throws -> Bool {
        isCatalogue
            ? try store.setAlbumArtwork(artwork, in: album, present: present)
            : try store.editAlbum(album, artwork: artwork, present: present, newKey: { random(32) })
    }

    /// Whether the deletion of an album has to be pushed.
    public func isOnServer(_ id: String) throws -> Bool { try !isCatalogue && store.isAlbumOnServer(id) }

    /// - Returns: whether it was there.
    public func delete(_ id: String) throws -> Bool {
        isCatalogue ? try store.removeAlbum(id, evidence: "deleted here") : try store.deleteAlbum(id)
    }

    private static func fields(_ json: String) throws -> JSONObject {
        try JSONValue(parsing: json).objectValue ?? [:]
    }

    private func record(_ json: JSONObject) throws -> ObjectRecord {
        ObjectRecord(.album, try Album(json), etag: nil)
    }
}
