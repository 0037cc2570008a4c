import Catalogue
import Foundation
import MirrorStore

/// What a catalogue's folder said of albums when it was last imported: albums may be edited on the catalogue as well, by
/// those who mirror it, and a folder that says again what it said before takes no edit back.
///
/// | the folder | the album here | what is done |
/// |---|---|---|
/// | says what it said before | is there, edited or not | it is left alone |
/// | says what it said before | was deleted here | it stays deleted |
/// | says something else, or names it again | any | as the folder says |
/// | no longer names it | any | it goes |
/// | never named it | was made here | it stays |
struct ImportedAlbums {
    enum Verdict: Sendable, Hashable {
        case write
        /// What is here stays, and is listed.
        case leave
        /// It isn't here, and isn't listed.
        case omit
    }

    enum Presence: Sendable, Hashable { case here, restored, absent }

    /// `nil` if none were noted yet; then all is as the folder says.
    private let before: [ExactText: String]?
    private var now: [ExactText: String] = [:]
    /// Albums that are here, those that were restored and no folder names aside.
    private(set) var here: [String] = []
    private var presence: [ExactText: Presence] = [:]

    /// - Parameter stored: as ``text(isSwept:)`` made it.
    /// - Throws: ``SyncError`` if it is something else: without it, edits would be taken back.
    init(stored: String?) throws {
        before = try stored.map { text in
            guard let pairs = try? JSONDecoder().decode([[String]].self, from: Data(text.utf8)),
                pairs.allSatisfy({ $0.count == 2 })
            else {
                throw SyncError(
                    .catalogue,
                    "What the last import noted of albums can't be read. Import into another --home.")
            }
            return Dictionary(pairs.map { (ExactText($0[0]), $0[1]) }, uniquingKeysWith: { $1 })
        }
    }

    /// Notes which albums there are, before the folder's are written.
    mutating func readPresent(in store: CatalogueStore) throws {
        let (here, all) = try store.snapshot { (try $0.ids(.album, withKept: false), try $0.ids(.album)) }
        self.here = here
        for id in all { presence[ExactText(id)] = .restored }
        for id in here { presence[ExactText(id)] = .here }
    }

    mutating func verdict(on album: ObjectRecord, _ artworkIDs: [String]) -> Verdict {
        let members = JSONValue.array(artworkIDs.map(JSONValue.string)).canonicalText
        return verdict(
            on: album.id, version: EntryDigest.of(album.json + members),
            presence[ExactText(album.id)] ?? .absent)
    }

    /// - Parameter version: equal for equal albums.
    mutating func verdict(on id: String, version: String, _ presence: Presence) -> Verdict {
        now[ExactText(id)] = version
        guard let before, before[ExactText(id)] == version else { return .write }
        switch presence {
        case .here: return .leave
        case .restored: return .write
        case .absent: return .omit
        }
    }

    /// Those of the albums here that no folder ever named.
    func madeHere(_ stored: [String]) -> [String] {
        guard let before else { return [] }
        return stored.filter { before[ExactText($0)] == nil && now[ExactText($0)] == nil }
    }

    /// To be kept for the next import.
    ///
    /// - Parameters:
    ///   - isSwept: whether what the folder no longer names is gone; else it is still the folder's, to be asked about again.
    ///   - held: albums whose artworks are not those of the folder yet, as these lack some: whatever it says of them next
    ///     time is something else.
    func text(isSwept: Bool, held: [String] = []) -> String {
        var all = isSwept ? now : (before ?? [:]).merging(now) { $1 }
        for id in held { all[ExactText(id)] = "" }
        let inOrder = all.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
        return JSONValue.array(inOrder.map { .array([.string($0.key.text), .string($0.value)]) })
            .canonicalText
    }
}
