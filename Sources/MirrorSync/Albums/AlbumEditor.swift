import Catalogue
import MirrorStore

/// Edits albums of a mirror, at any time, also during a sync.
///
/// In a mirror of a server, an edit is stored and the next sync pushes it. In an imported catalogue, an edit takes effect at
/// once, because no server has another version. A described source accepts no edits: those of its mirror stay in the mirror.
///
/// ```swift
/// let editor = try AlbumEditor(mirror.store(editing: true))
/// let album = try editor.create(AlbumChange(name: "For the fair"))
/// _ = try editor.set("4711", in: album, present: true)
/// ```
public struct AlbumEditor: Sendable {
    let store: CatalogueStore
    /// Whether the mirror is an imported catalogue.
    public let isCatalogue: Bool
    /// Whether the next sync pushes edits to a server.
    public let pushesEdits: Bool
    /// Makes a text of random hexadecimal digits.
    let random: @Sendable (_ digits: Int) -> String

    /// An editor of the albums in this store, which must be open for editing. The editor doesn't close it.
    ///
    /// - Throws: ``StoreError``, as every edit does: `readOnly`, `locked` if another writer doesn't finish in time, `diskFull`.
    public init(_ store: CatalogueStore) throws { try self.init(store, random: AlbumEditor.digits) }

    package init(_ store: CatalogueStore, random: @escaping @Sendable (_ digits: Int) -> String) throws {
        self.store = store
        self.random = random
        isCatalogue = try store.isCatalogue
        pushesEdits = try !isCatalogue && store.source == nil
    }

    private static func digits(_ count: Int) -> String {
        String((0..<count).map { _ in "0123456789abcdef".randomElement() ?? "0" })
    }

    /// Creates an album.
    ///
    /// - Returns: the album's id. The next sync replaces it by the id that the server assigns; the album is still found by
    ///   this one.
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

    /// Changes an album's own fields. Idempotent.
    ///
    /// - Returns: whether the album exists.
    public func change(_ id: String, by change: AlbumChange) throws -> Bool {
        guard isCatalogue else {
            return try store.editAlbum(id, newKey: { random(32) }) { json in
                var fields = try Self.fields(json)
                // A locally created album may still have its first id in its JSON.
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

    /// Adds an artwork at the album's end, or removes it. Idempotent.
    ///
    /// - Returns: whether the album and the artwork exist.
    public func set(_ artwork: String, in album: String, present: Bool) throws -> Bool {
        isCatalogue
            ? try store.setAlbumArtwork(artwork, in: album, present: present)
            : try store.editAlbum(album, artwork: artwork, present: present, newKey: { random(32) })
    }

    /// Whether the server has the album, so that its deletion will be pushed.
    public func isOnServer(_ id: String) throws -> Bool { try pushesEdits && store.isAlbumOnServer(id) }

    /// Deletes an album.
    ///
    /// - Returns: whether it existed.
    public func delete(_ id: String) throws -> Bool {
        isCatalogue ? try store.removeAlbum(id, evidence: .deletedHere) : try store.deleteAlbum(id)
    }

    private static func fields(_ json: String) throws -> JSONObject {
        try JSONValue(parsing: json).objectValue ?? [:]
    }

    private func record(_ json: JSONObject) throws -> ObjectRecord {
        ObjectRecord(.album, try Album(json), etag: nil)
    }
}
