import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// The changes of one kind that a server reported since a date, decoded and ready to be stored.
struct PulledChanges: Sendable {
    let kind: Kind
    /// The date of the request.
    let since: String
    /// The server's time when it answered; `nil` if the answer has no `Date`.
    let date: Date?
    /// The time up to which the answer contains all changes, if the server reports it.
    var end: Timestamp?
    /// The latest time of a reported change, for servers without a `Date`.
    var latestChange: Timestamp?
    /// The created and changed objects, in the server's order (oldest change first).
    var members: [ListReader.Member] = []
    /// Those of the objects that the answer contains in full.
    var records: [ObjectRecord] = []
    /// The ids of deleted objects.
    var gone: [String] = []

    var isEmpty: Bool { members.isEmpty && gone.isEmpty }

    /// Adds one element of the answer. An object that can't be read is requested by its canonical URL later.
    ///
    /// - Throws: ``SyncError`` for an element that doesn't report a change.
    mutating func add(_ entry: ListEntry, _ warn: (FieldWarning) -> Void) throws {
        if let deletedAt = entry.deletedAt {
            noteTime(deletedAt)
            gone.append(entry.id)
            return
        }
        // A full object instead of an entry is an element of an ordinary page: the server ignored the date.
        guard entry.etag != nil || entry.object != nil, !entry.isWhole else {
            throw SyncError(
                .badAnswer,
                "The server's answer by date has an element of \(kind.plural) that does not report a change.")
        }
        members.append(ListReader.member(entry))
        guard let object = entry.object, object["id"]?.idText == entry.id else { return }
        noteTime(object["updated_at"]?.stringValue)
        var warnings: [FieldWarning] = []
        guard let body = try? kind.type.init(object, warnings: &warnings) else { return }
        records.append(ObjectRecord(kind, body, etag: entry.etag))
        warnings.forEach(warn)
    }

    /// Removes pruned objects whose ETag on the server is still that of the pruned version.
    mutating func leaveOut(_ pruned: [ExactText: String?]) {
        guard !pruned.isEmpty else { return }
        let left = Set(
            members.lazy.map { (ExactText($0.id), $0.etag) }.filter { id, etag in
                etag != nil && pruned[id] == .some(etag)
            }.map(\.0))
        members.removeAll { left.contains(ExactText($0.id)) }
        records.removeAll { left.contains(ExactText($0.id)) }
    }

    private mutating func noteTime(_ time: String?) {
        guard let time = time.flatMap({ Timestamp($0) }) else { return }
        latestChange = max(latestChange ?? time, time)
    }
}

/// The deletions that a server reported since a date, in the form that the delete guard checks.
///
/// A tombstone is sufficient evidence of one deletion. But a server that lost its objects may report a tombstone for each. If
/// there are more deletions than the guard allows, the full list has to confirm them, and the guard then checks the sweep.
struct PulledDeletions {
    let intents: [DeleteGuard.Intent]

    /// The kinds whose full list is requested instead. If the guard objects to one kind, these are all kinds with deletions,
    /// because the guard stops the deletions of all kinds together.
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

/// The order in which pulled changes are stored: each stage follows the stages that it refers to.
///
/// With this order, which the pull loops of other synchronising apps use as well, an existing object is never stored as a ghost.
enum PersistingOrder {
    /// One stage: a kind or a group of tables, with its references to other stages.
    struct Stage: Sendable, Hashable {
        let name: String
        let kind: Kind?
        /// The tables that the stage writes.
        let tables: [String]
        /// `table.column` of every foreign key that the stage writes.
        let references: [String]

        init(_ name: String, tables: [String], references: [String] = []) {
            (self.name, kind, self.tables, self.references) = (name, nil, tables, references)
        }

        /// - Parameter parts: the tables of the parts of an object of that kind.
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
    /// Removes the cached answers for these canonical URLs. They are outdated, even if they were declared fresh.
    func forget(_ routes: [Route]) {
        for route in routes { remove(key(for: base + route.canonicalURL)) }
    }
}
