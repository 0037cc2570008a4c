import Catalogue
import GRDB

/// What a caption in a list shows of an artwork. It has no field that is hidden from visitors.
package struct ArtworkItem: Sendable, Hashable {
    package let id: String
    /// The slug that leads to it (``Kind/pageSlug(_:)``); `nil` if none does, then the id is its address.
    package let slug: String?
    /// `nil` for an untitled artwork.
    package let title: String?
    /// The names of the first artists, at most ``mostArtists``. One without a name, or that is only referred to, has its id.
    package let artists: [String]
    /// The number of artists that are left out.
    package let otherArtists: Int
    /// The date as the catalogue has it.
    package let date: String?
    package let medium: String?
    /// The dimensions as text, in centimetres if the catalogue has them, or else in inches.
    package let dimensions: String?
    package var picture: PictureState
    /// Whether the artwork is hidden from visitors, because it isn't published.
    package let isHidden: Bool

    /// The greatest number of artists in a caption.
    package static let mostArtists = 20
}

extension CatalogueReader {
    /// Captions of artworks, in the order of the ids. Artworks that aren't stored are left out; so are those that the face
    /// may not see.
    ///
    /// Three statements for all of them. Only the first ``PictureChooser/mostPictures`` of each are considered.
    func items(_ ids: [String], for face: Face) throws -> [ArtworkItem] {
        guard !ids.isEmpty else { return [] }
        let list = JSONValue.canonicalText(of: ids)
        let artists = try artists(ofArtworks: list), pictures = try pictures(ofArtworks: ids)
        return try db.rows(
            """
            SELECT o.id, \(Kind.artwork.pageSlug("o")), o.title, o.date, o.medium, coalesce(o.dimensions_cm, o.dimensions_in),
              (SELECT max(position) + 1 FROM artwork_artist a WHERE a.artwork_id = o.id), \(Face.isHidden(.artwork, "o"))
            FROM json_each(?) j CROSS JOIN artwork o ON o.id = j.value WHERE o.ghost = 0 AND \(face.isVisible(.artwork, "o"))
            """, [list]
        ).map { row in
            let id: String = row[0], found = artists[ExactText(id)] ?? []
            return ArtworkItem(
                id: id, slug: row[1], title: row[2], artists: found,
                otherArtists: max(0, (row[6] ?? 0) - found.count), date: row[3], medium: row[4],
                dimensions: row[5],
                picture: pictures[ExactText(id)] ?? .none, isHidden: row[7])
        }
    }

    /// The names of the first artists of artworks.
    private func artists(ofArtworks list: String) throws -> [ExactText: [String]] {
        try db.rows(
            """
            SELECT a.artwork_id, iif(p.ghost, p.id, coalesce(p.display_name, p.name, p.id))
            FROM json_each(?) j CROSS JOIN artwork_artist a ON a.artwork_id = j.value AND a.position < \(ArtworkItem.mostArtists)
            CROSS JOIN artist p ON p.id = a.artist_id
            """, [list]
        ).reduce(into: [:]) { $0[ExactText($1[0]), default: []].append($1[1]) }
    }

    /// What lists show of the artworks' first pictures. Artworks without pictures are left out.
    func pictures(ofArtworks ids: [String]) throws -> [ExactText: PictureState] {
        try pictures(
            of: .artwork, JSONValue.canonicalText(of: ids),
            where: "AND i.role = 'picture' AND i.position < \(PictureChooser.mostPictures)"
        ).mapValues { PictureChooser.choose(among: $0) }
    }

    /// The pictures of objects of a kind, in order, with their files. Tiles are left out.
    ///
    /// - Parameters:
    ///   - list: the objects' ids as a JSON array.
    ///   - condition: SQL: which pictures `i` to read. Default: all.
    fileprivate func pictures(
        of kind: Kind, _ list: String, where condition: String = ""
    ) throws -> [ExactText: [PictureChooser.Picture]] {
        var found: [ExactText: [(position: Int, pk: Int64, picture: PictureChooser.Picture)]] = [:]
        try db.forEach(
            """
            SELECT i.\(kind.idColumn), i.position, i.pk, i.id,
              i.original_width, i.original_height, i.aspect_ratio, i.image_versions IS '[]' AND i.image_urls IS NULL,
              f.format, f.unavailable_at IS NOT NULL, h.width, h.height, h.hash, h.size, h.path, h.type
            FROM json_each(?) j CROSS JOIN image i ON i.\(kind.idColumn) = j.value \(condition)
            LEFT JOIN image_file f ON f.image = i.pk AND NOT (\(ImageTile.isTile("f.format")))
            LEFT JOIN file h ON h.hash = f.hash
            """, [list]
        ) { row in
            let owner = ExactText(row[0]), pk: Int64 = row[2]
            if found[owner]?.last?.pk != pk {
                found[owner, default: []].append(
                    (
                        row[1], pk,
                        PictureChooser.Picture(
                            id: row[3],
                            ratio: ImageEntry.ratio(width: row[4], height: row[5], aspectRatio: row[6]),
                            isProcessing: row[7])
                    ))
            }
            guard let format: String = row[8], let last = found[owner]?.indices.last else { return }
            found[owner]?[last].picture.files.append(
                PictureChooser.Candidate(
                    format: format, file: StoredFile(row: row, from: 12), width: row[10], height: row[11],
                    isUnavailable: row[9]))
        }
        return found.mapValues { pictures in
            pictures.sorted { ($0.position, $0.pk) < ($1.position, $1.pk) }.map(\.picture)
        }
    }
}

extension CatalogueStore {
    /// Captions of artworks, in the order of the ids. Artworks that aren't stored, or that the face may not see, are left out.
    package func items(_ ids: [String], for face: Face) throws -> [ArtworkItem] {
        try snapshot { try $0.items(ids, for: face) }
    }

    /// The ids of the pictures of an artwork or show that have no file to show, because the server didn't have it when it was
    /// last requested.
    package func unavailablePictures(of owner: Owner) throws -> Set<String> {
        guard owner.kind.hasPictures else { return [] }
        return try snapshot { reader in
            let pictures = try reader.pictures(of: owner.kind, JSONValue.canonicalText(of: [owner.id]))
            return pictures.values.joined().reduce(into: []) { missing, picture in
                if case .missing = PictureChooser.choose(among: [picture]) { missing.insert(picture.id) }
            }
        }
    }
}
