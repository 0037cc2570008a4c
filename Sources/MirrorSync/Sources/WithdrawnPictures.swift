import Catalogue
import MirrorStore

/// Decides what becomes of stored pictures that an object of a described source no longer has.
///
/// The source doesn't say why a picture is missing: its licence was withdrawn, or the museum removed or replaced it. So every picture
/// with a stored file that disappears while its artwork still exists counts as withdrawn. Pictures without a file disappear.
struct WithdrawnPictures {
    /// The artwork's JSON, with the kept pictures after the others, each marked with `"withdrawn": true`.
    let json: JSONObject
    /// The number of pictures that are withdrawn since the artwork was read before.
    let newCount: Int

    /// - Parameters:
    ///   - json: the artwork as it was read now.
    ///   - stored: the artwork's stored pictures that have a file, in order.
    ///   - rule: whether they are kept.
    init(in json: JSONObject, stored: [JSONObject], _ rule: SourceOptions.WithdrawnPictures) {
        let images = json["images"]?.arrayValue ?? []
        let names = Set(images.compactMap { $0.objectValue?["id"]?.idText }.map(ExactText.init))
        let gone = stored.filter { image in
            image["id"]?.idText.map { !names.contains(ExactText($0)) } ?? false
        }
        newCount = gone.count { $0[ImageEntry.withdrawn] != .bool(true) }
        guard rule == .keep, !gone.isEmpty else {
            self.json = json
            return
        }
        var all = json
        all["images"] = .array(
            images
                + gone.map { image in
                    var image = image
                    image[ImageEntry.withdrawn] = .bool(true)
                    return .object(image)
                })
        self.json = all
    }
}

extension SyncEnvironment {
    /// The record of an object, with its withdrawn pictures if the options keep them.
    func record(of object: any Payload, _ kind: Kind, version: String?) throws -> ObjectRecord {
        let plain = ObjectRecord(kind, object, etag: version, partner: partnerID)
        guard kind == .artwork, let described else { return plain }
        let stored = try store.picturesWithFiles(ofArtwork: object.id)
        guard !stored.isEmpty else { return plain }
        let pictures = WithdrawnPictures(in: object.json, stored: stored, described.catalogue.withdrawn)
        var record = plain
        if pictures.json != object.json {
            // The answer's warnings were reported when it was read.
            var warnings: [FieldWarning] = []
            record = ObjectRecord(
                kind, try kind.type.init(pictures.json, warnings: &warnings), etag: version,
                partner: partnerID)
        }
        record.withdrawnPictures = pictures.newCount
        return record
    }
}

extension SyncEnvironment {
    /// Removes the pictures that earlier syncs kept although the source no longer offers them, if the options say so.
    ///
    /// To be called at the end of a run: artworks that it read again have lost theirs already. A dry run predicts the changes.
    func removeWithdrawnPictures() async throws {
        guard described?.catalogue.withdrawn == .remove, walkedKinds.contains(.artwork) else { return }
        var last = ""
        while true {
            let artworks = try store.artworksWithWithdrawnPictures(after: last, limit: 500)
            guard let end = artworks.last else { return try await applier.flush() }
            last = end.id
            for artwork in artworks {
                guard var json = try JSONValue(parsing: artwork.json).objectValue else { continue }
                let offered = (json["images"]?.arrayValue ?? []).filter {
                    $0.objectValue?[ImageEntry.withdrawn] != .bool(true)
                }
                json["images"] = offered.isEmpty ? nil : .array(offered)
                try await self.store(
                    SourceObject(json), of: .artwork, id: artwork.id, version: artwork.etag)
            }
        }
    }
}
