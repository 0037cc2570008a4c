import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// What a server said changed of one kind, read and ready to be stored.
struct PulledChanges: Sendable {
    let kind: Kind
    /// The date that was asked with.
    let since: String
    /// The server's clock when it answered.
    let date: Date?
    /// The moment behind the last change that the answer has, where the server says so.
    var end: Timestamp?
    /// The latest change that was seen, for servers that don't say the date.
    var latestChange: Timestamp?
    /// What is still there, in the server's order (oldest change first).
    var members: [ListReader.Member] = []
    /// The bodies that came with them.
    var records: [ObjectRecord] = []
    /// What was deleted.
    var gone: [String] = []

    var isEmpty: Bool { members.isEmpty && gone.isEmpty }

    /// Takes in one element of the answer. A body that can't be read is asked for by its canonical URL.
    ///
    /// - Throws: ``SyncError`` for an element that is none of such an answer.
    mutating func take(_ entry: ListEntry, _ warn: (FieldWarning) -> Void) throws {
        if let deletedAt = entry.deletedAt {
            see(deletedAt)
            gone.append(entry.id)
            return
        }
        // A full object is an element of a page: the server took no notice of the date.
        guard entry.etag != nil || entry.object != nil, !entry.isWhole else {
            throw SyncError(
                .badAnswer, "The server said of one of the \(kind.plural) that it changed, and not how.")
        }
        members.append(ListReader.member(entry))
        guard let object = entry.object, object["id"]?.idText == entry.id else { return }
        see(object["updated_at"]?.stringValue)
        var warnings: [FieldWarning] = []
        guard let body = try? kind.type.init(object, warnings: &warnings) else { return }
        records.append(ObjectRecord(kind, body, etag: entry.etag))
        warnings.forEach(warn)
    }

    /// Leaves out what was pruned in the very version that the server still has.
    mutating func leaveOut(_ pruned: [ExactText: String?]) {
        guard !pruned.isEmpty else { return }
        let left = Set(
            members.lazy.map { (ExactText($0.id), $0.etag) }.filter { id, etag in
                etag != nil && pruned[id] == .some(etag)
            }.map(\.0))
        members.removeAll { left.contains(ExactText($0.id)) }
        records.removeAll { left.contains(ExactText($0.id)) }
    }

    private mutating func see(_ time: String?) {
        guard let time = time.flatMap({ Timestamp($0) }) else { return }
        latestChange = max(latestChange ?? time, time)
    }
}

/// What a server says was deleted since, as the delete guard sees it.
///
/// A tombstone is evidence of its own, but a server that lost its objects has as many of them as its list lacks. What
/// the guard would not let a sweep do, the list has to say as well, and the sweep is then asked about.
struct PulledDeletions {
    let intents: [DeleteGuard.Intent]

    /// The kinds of which the whole list is looked at instead: once the guard objects to one, all of which anything would
    /// go, as it stops every kind or none.
    func kindsToList(_ deleteGuard: DeleteGuard) -> [Kind] {
        let objections = deleteGuard.objections(to: intents)
        guard objections.contains(where: { $0.deletions > DeleteGuard.few }) else { return [] }
        return intents.filter { $0.deletions > 0 }.map(\.kind)
    }
}

extension PulledDeletions {
    init(_ pulled: [Kind: PulledChanges], in store: CatalogueStore) throws {
        intents = try store.kinds.listed.compactMap { kind in
            guard let changes = pulled[kind], !changes.gone.isEmpty else { return nil }
            let held = try store.heldCount(kind)
            let deletions = try store.listed(kind, among: changes.gone).count
            return DeleteGuard.Intent(
                kind: kind, held: held, listed: held - deletions + changes.members.count, deletions: deletions
            )
        }
    }
}

/// In which order what was pulled is stored: whatever refers to something comes after it.
///
/// The order of the pull loops of synchronising apps (Toggl's): with it, an object that exists is never seen as a ghost.
enum PersistingOrder {
    /// One kind of thing, with the columns by which it refers to others.
    struct Stage: Sendable, Hashable {
        let name: String
        let kind: Kind?
        /// The tables whose rows it makes.
        let tables: [String]
        /// `table.column` of every foreign key that it fills.
        let references: [String]

        init(_ name: String, tables: [String], references: [String] = []) {
            (self.name, kind, self.tables, self.references) = (name, nil, tables, references)
        }

        /// - Parameter parts: the tables of what belongs to an object of that kind.
        init(_ kind: Kind, parts: [String] = [], references: [String] = []) {
            name = kind.isListed ? kind.plural : kind.name
            (self.kind, tables, self.references) = (kind, [kind.table] + parts, references)
        }
    }

    static let stages: [Stage] = [
        Stage(.partner), Stage(.user), Stage("metadata", tables: ["partner_flag"]), Stage(.location),
        Stage(.artist),
        Stage(
            .artwork, parts: ["edition_set", "artwork_artist", "image"],
            references: [
                "edition_set.artwork_id", "artwork_artist.artwork_id", "artwork_artist.artist_id",
                "image.artwork_id",
            ]),
        Stage(.album),
        Stage(
            .show, parts: ["show_artist"],
            references: ["show.location_id", "show_artist.show_id", "show_artist.artist_id"]),
        Stage(
            "memberships", tables: members.map { "\($0)_artwork" },
            references: members.flatMap { ["\($0)_artwork.\($0)_id", "\($0)_artwork.artwork_id"] }),
        Stage(
            "documents and files", tables: ["document", "file", "image_file"],
            references: [
                "image.show_id", "document.show_id", "document.artist_id", "document.file",
                "image_file.image", "image_file.hash",
            ]),
    ]

    /// Kinds with a list of artworks.
    private static let members: [Kind] = [.show, .album, .location]
}

extension CanonicalURLCache {
    /// Removes what is held of these canonical URLs: it is not what the server has now, however fresh it was declared.
    func forget(_ routes: [Route]) {
        for route in routes { remove(key(for: base + route.canonicalURL)) }
    }
}
