import Catalogue
import Foundation
import MirrorStore

/// Decides for each album of a catalogue whether an import writes it.
///
/// Albums of an imported mirror can be edited locally, or by mirrors that are served from it. So the versions of the last import
/// are remembered: an album whose file did not change since then must not undo these edits.
///
/// | the catalogue | the stored album | the import |
/// |---|---|---|
/// | has the same version as before | exists, edited or not | keeps it |
/// | has the same version as before | was deleted locally | doesn't add it again |
/// | has another version, or lists it again | any | writes the catalogue's version |
/// | no longer lists it | any | deletes it |
/// | never listed it | was created locally | keeps it |
struct ImportedAlbums {
    /// What an import does with an album of the catalogue.
    enum Verdict: Sendable, Hashable {
        /// It writes the catalogue's version.
        case write
        /// It keeps the stored album, and lists it.
        case leave
        /// The album was deleted locally: it is neither written nor listed.
        case omit
    }

    /// Whether an album is stored.
    enum Presence: Sendable, Hashable {
        case here
        /// It was restored, and no catalogue has listed it since.
        case restored
        case absent
    }

    /// The versions of the last import, by id; `nil` for the first import, which writes all albums.
    private let before: [ExactText: String]?
    /// The versions of this import.
    private var now: [ExactText: String] = [:]
    /// The stored albums, except restored ones that no catalogue has listed since.
    private(set) var here: [String] = []
    private var presence: [ExactText: Presence] = [:]

    /// - Parameter stored: the text that ``text(isSwept:held:)`` returned in the last import.
    /// - Throws: ``SyncError`` if the text is damaged: without it, local edits would be lost.
    init(stored: String?) throws {
        before = try stored.map { text in
            guard let pairs = try? JSONDecoder().decode([[String]].self, from: Data(text.utf8)),
                pairs.allSatisfy({ $0.count == 2 })
            else {
                throw SyncError(
                    .catalogue,
                    "The stored album versions of the last import are damaged, so local edits of albums would be lost. Import with another --home."
                )
            }
            return Dictionary(pairs.map { (ExactText($0[0]), $0[1]) }, uniquingKeysWith: { $1 })
        }
    }

    /// Reads which albums are stored, before the catalogue's albums are written.
    mutating func readPresent(in store: CatalogueStore) throws {
        let (here, all) = try store.snapshot { (try $0.ids(.album, withKept: false), try $0.ids(.album)) }
        self.here = here
        for id in all { presence[ExactText(id)] = .restored }
        for id in here { presence[ExactText(id)] = .here }
    }

    /// Notes the catalogue's version of an album, and decides what the import does with it.
    mutating func verdict(on album: ObjectRecord, _ artworkIDs: [String]) -> Verdict {
        let members = JSONValue.array(artworkIDs.map(JSONValue.string)).canonicalText
        return verdict(
            on: album.id, version: EntryDigest.of(album.json + members),
            presence[ExactText(album.id)] ?? .absent)
    }

    /// - Parameter version: a digest of the album; equal albums have equal versions.
    mutating func verdict(on id: String, version: String, _ presence: Presence) -> Verdict {
        now[ExactText(id)] = version
        guard let before, before[ExactText(id)] == version else { return .write }
        switch presence {
        case .here: return .leave
        case .restored: return .write
        case .absent: return .omit
        }
    }

    /// The stored albums that no import ever listed.
    func madeHere(_ stored: [String]) -> [String] {
        guard let before else { return [] }
        return stored.filter { before[ExactText($0)] == nil && now[ExactText($0)] == nil }
    }

    /// The versions as text, to be stored for the next import.
    ///
    /// - Parameters:
    ///   - isSwept: whether albums that the catalogue no longer lists were deleted. If not, their former versions are kept, so
    ///     that the next import deletes them.
    ///   - held: albums whose artworks could not be set yet, because some are not stored. Their version is left empty, so that
    ///     the next import writes them.
    func text(isSwept: Bool, held: [String] = []) -> String {
        var all = isSwept ? now : (before ?? [:]).merging(now) { $1 }
        for id in held { all[ExactText(id)] = "" }
        let inOrder = all.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
        return JSONValue.array(inOrder.map { .array([.string($0.key.text), .string($0.value)]) })
            .canonicalText
    }
}
