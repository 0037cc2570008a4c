import Catalogue
import GRDB
import MirrorStore

/// Invariant 7 for a described catalogue: compares a mirror with the catalogue behind the museum's server.
struct MuseumContentCheck {
    let expected: ExpectedMuseum
    /// Whether files of pictures are downloaded.
    let hasMedia: Bool
    /// Whether the pictures of artworks that are no longer free may still be there.
    let keepsWithdrawn: Bool
    /// Whether the mirror may have objects that the museum removed, because they are not missing for long enough.
    var allowsMore = false

    /// The differences, as sentences.
    func differences(_ db: Database) throws -> [String] {
        try artworks(db) + artists(db) + places(db) + shows(db) + (hasMedia ? files(db) : [])
    }

    /// The objects of a kind, by id.
    private func stored(_ kind: Kind, _ db: Database) throws -> [String: JSONObject] {
        var found: [String: JSONObject] = [:]
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT id, json FROM \"\(kind.name)\" WHERE ghost = 0 AND kept = 0 ORDER BY id"))
        for row in rows {
            found[row[0]] = (try? JSONValue(parsing: row[1] as String? ?? "{}"))?.objectValue ?? [:]
        }
        return found
    }

    private func ids(_ kind: Kind, _ local: Set<String>, _ remote: Set<String>) -> [String] {
        let isEqual = allowsMore ? remote.isSubset(of: local) : local == remote
        return isEqual
            ? [] : ["\(kind.plural) in the mirror: \(local.sorted()), at the museum: \(remote.sorted())"]
    }

    private func artworks(_ db: Database) throws -> [String] {
        let local = try stored(.artwork, db)
        var found = ids(.artwork, Set(local.keys), Set(expected.artworks.keys))
        for (id, remote) in expected.artworks.sorted(by: { $0.key < $1.key }) {
            guard let json = local[id] else { continue }
            func compare(_ what: String, _ local: String?, _ remote: String?) {
                guard local != remote else { return }
                found.append(
                    "the \(what) of artwork \(id) in the mirror: \(local ?? "nothing"), at the museum: \(remote ?? "nothing")"
                )
            }
            compare("title", json["title"]?.stringValue, remote.title)
            compare("medium", json["medium"]?.stringValue, remote.medium)
            let artists = json["artists"]?.arrayValue?.compactMap { $0.objectValue?["id"]?.idText } ?? []
            compare("artists", "\(artists)", "\(remote.artists)")
            let images = (json["images"]?.arrayValue ?? []).filter { image in
                !keepsWithdrawn || image.objectValue?["withdrawn"] != .bool(true)
            }
            let addresses = images.map { image in
                image.objectValue?["image_urls"]?.objectValue?["larger"]?.stringValue ?? ""
            }
            if keepsWithdrawn, expected.restricted.contains(id) { continue }
            let isEqual =
                addresses.count == remote.pictures.count
                && zip(addresses, remote.pictures).allSatisfy { $0.containsUTF8($1) }
            if !isEqual { compare("pictures", "\(addresses)", "\(remote.pictures)") }
        }
        return found
    }

    private func artists(_ db: Database) throws -> [String] {
        let local = try stored(.artist, db)
        var found = ids(.artist, Set(local.keys), Set(expected.artists.keys))
        for (id, name) in expected.artists.sorted(by: { $0.key < $1.key }) {
            guard let stored = local[id]?["name"]?.stringValue, stored != name else { continue }
            // An artwork that is still stored may name the artist as before.
            if allowsMore, expected.locations == nil { continue }
            found.append("artist \(id) is called \(stored) in the mirror, and \(name) at the museum")
        }
        return found
    }

    private func places(_ db: Database) throws -> [String] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT json_extract(l.json, '$.name'), a.artwork_id FROM location_artwork a
                    JOIN location l ON l.id = a.location_id WHERE l.ghost = 0 AND l.kept = 0
                    """))
        var local: [String: Set<String>] = [:]
        for row in rows where expected.artworks[row[1]] != nil {
            local[row[0] as String? ?? "", default: []].insert(row[1])
        }
        var found: [String] = []
        for name in Set(local.keys).union(expected.places.keys).sorted()
        where local[name] != expected.places[name] {
            found.append(
                "artworks at \(name) in the mirror: \((local[name] ?? []).sorted()), at the museum: \((expected.places[name] ?? []).sorted())"
            )
        }
        if let locations = expected.locations {
            found += ids(.location, Set(try stored(.location, db).keys), Set(locations.keys))
        } else if !allowsMore {
            let names = try stored(.location, db).values.compactMap { $0["name"]?.stringValue }
            if names.sorted() != expected.places.keys.sorted() {
                found.append(
                    "locations in the mirror: \(names.sorted()), at the museum: \(expected.places.keys.sorted())"
                )
            }
        }
        return found
    }

    private func shows(_ db: Database) throws -> [String] {
        let local = try stored(.show, db)
        var found = ids(.show, Set(local.keys), Set(expected.shows.keys))
        for (id, show) in expected.shows.sorted(by: { $0.key < $1.key }) {
            guard let json = local[id] else { continue }
            if json["name"]?.stringValue != show.name {
                found.append("show \(id) has another name in the mirror than \(show.name ?? "none")")
            }
            let members = try String.fetchAll(
                db.cachedStatement(
                    sql: "SELECT artwork_id FROM show_artwork WHERE show_id = ? ORDER BY artwork_id"),
                arguments: [id])
            if members != show.artworks.sorted() {
                found.append(
                    "artworks of show \(id) in the mirror: \(members), at the museum: \(show.artworks.sorted())"
                )
            }
        }
        return found
    }

    /// The pictures that lack the file of a format that a new mirror stores.
    private func files(_ db: Database) throws -> [String] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT i.artwork_id, i.id, i.json, (SELECT group_concat(f.format) FROM image_file f
                      WHERE f.image = i.pk AND f.hash IS NOT NULL AND f.entry = i.entry)
                    FROM image i JOIN artwork a ON a.id = i.artwork_id AND a.ghost = 0 AND a.kept = 0
                    ORDER BY i.artwork_id, i.position
                    """))
        let artworks = try Dictionary(grouping: rows) { $0[0] as String }.mapValues { rows in
            try rows.map { row in
                let formats = (row[3] as String? ?? "").split(separator: ",").map(String.init)
                return (image: try ImageEntry(text: row[2]), formats: Set(formats))
            }
        }
        var found: [String] = []
        for (artwork, pictures) in artworks.sorted(by: { $0.key < $1.key })
        where expected.artworks[artwork]?.pictures.isEmpty == false {
            let first = pictures.first { $0.image.isDefault } ?? pictures.first
            for (image, formats) in pictures {
                let isFirst = image.id == first?.image.id && !image.isWithdrawn
                let wanted = PictureFormats.standard.chosen(among: image.imageVersions, isFirst: isFirst)
                // The museum no longer offers it, so what is stored stays as it is.
                let lacking =
                    image.isWithdrawn && !formats.isEmpty ? [] : wanted.filter { !formats.contains($0) }
                found += lacking.map {
                    "picture \(image.id) of artwork \(artwork) has no file in the format \($0)"
                }
            }
        }
        return found
    }
}
