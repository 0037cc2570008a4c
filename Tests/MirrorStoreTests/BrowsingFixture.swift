import Catalogue
import Foundation
import GRDB

@testable import MirrorStore

/// A small catalogue for the tests of lists: twelve artworks by three artists, of which one is not published.
struct BrowsingFixture {
    let test: TestStore
    let run: Int64

    var store: CatalogueStore { test.store }

    /// Title, artist, date, category, department of each artwork; the id is the letter `a` to `l`.
    static let artworks:
        [(title: String, artist: String, date: String?, category: String, department: String)] = [
            ("The Wave", "hokusai", "c. 1830–1832", "Print", "Asia"),
            ("Fuji", "hokusai", "1831", "Print", "Asia"),
            ("Young Hare", "durer", "1502", "Drawing", "Europe"),
            ("Rhinoceros", "durer", "1515", "Print", "Europe"),
            ("Melencolia I", "durer", "1514", "Print", "Europe"),
            ("Öland", "zorn", "1890s", "Painting", "Europe"),
            ("Midnight", "zorn", "1891", "Painting", "Europe"),
            ("Omnibus", "zorn", "19th century", "Painting", "Europe"),
            ("“Quoted”", "zorn", nil, "Painting", "Europe"), ("Bat", "hokusai", "1840", "Drawing", "Asia"),
            ("Hidden", "zorn", "1900", "Painting", "Secret"), ("Apple", "durer", "1500", "Drawing", "Europe"),
        ]
    /// The id of the artwork that isn't published.
    static let hidden = "k"

    /// - Parameter indexed: whether the index is updated. Default: `true`.
    init(indexed: Bool = true) throws {
        test = try TestStore()
        run = try test.beginRun()
        for (id, name) in [
            ("hokusai", "Katsushika Hokusai"), ("durer", "Albrecht Dürer"), ("zorn", "Anders Zorn"),
        ] {
            let last = name.split(separator: " ").last.map(String.init) ?? name
            try put(
                .artist, id,
                ["name": .string(name), "sortable_id": .string("\(last), \(name.prefix { $0 != " " })")])
        }
        for (letter, work) in zip("abcdefghijkl", Self.artworks) {
            try put(.artwork, "\(letter)", Self.json(work, isPublished: "\(letter)" != Self.hidden))
        }
        if indexed { try store.updateSearchIndex() }
    }

    static func json(
        _ work: (title: String, artist: String, date: String?, category: String, department: String),
        isPublished: Bool = true
    ) -> JSONObject {
        [
            "title": .string(work.title), "artists": [["id": .string(work.artist)]],
            "date": work.date.map { .string($0) } ?? .null, "category": .string(work.category),
            "department": .string(work.department), "published": .bool(isPublished),
            "updated_at": "2020-01-01T00:00:00Z", "price": "SECRET",
        ]
    }

    func put(_ kind: Kind, _ id: String, _ fields: JSONObject) throws {
        var json = fields
        json["id"] = .string(id)
        try test.put(ObjectRecord(kind, try kind.type.init(json), etag: "e"), run: run)
    }

    /// Removes an artwork as a sync does.
    func remove(_ id: String) throws {
        _ = try store.apply([.tombstone(kind: .artwork, id: id, evidence: "test")], run: run)
    }

    /// Stores a picture's file of an artwork. The picture must be among its `images`.
    func storeFile(
        _ image: String, format: String = "larger", of artwork: String, type: String = "image/jpeg",
        pixels: PixelSize? = nil
    ) throws {
        let use = FileUse.image(image, format: format, role: .picture, of: Owner(.artwork, artwork))
        let file = StoredFile(
            hash: "h\(image)\(format)", size: 1, path: "media/\(image)\(format)", type: type)
        let record = FileRecord(
            use, entry: "e", file: file, etag: nil, lastModified: nil, pixels: pixels)
        _ = try store.apply([.file(record)], run: run)
    }

    /// The ids of all pages of a list, read forwards.
    func ids(_ query: ArtworkQuery, limit: Int = 60) throws -> [String] {
        var ids: [String] = [], position = PagePosition.first
        while true {
            let page = try store.artworks(query, from: position, limit: limit)
            ids += page.items.map(\.id)
            guard let next = page.next, ids.count < 1_000 else { return ids }
            position = .after(next)
        }
    }
}
