import Catalogue
import GRDB

/// Whose feed of events is asked for.
package enum EventFeed: Sendable, Hashable {
    case partner
    /// The show itself and the artworks in it.
    case show(String)
}

extension CatalogueStore {
    /// The last event: whoever has read everything after asking for it misses nothing who asks for what came after it.
    ///
    /// One row: cheap enough for every poll, as one that is asked with this very event has nothing to be told. `nil` in a
    /// database of an earlier version that can't be written: its log has no id.
    package func latestEvent() throws -> EventID? {
        try read { try LogEnd($0)?.event }
    }

    /// When a show is on, as its row says; `nil` for a show that is not among those that are served.
    package func showDates(_ id: String) throws -> (start: String?, end: String?, status: String?)? {
        try read { db in
            try Row.fetchOne(db.cachedStatement(sql: Self.datesOfShow), arguments: [id])
                .map { ($0[0], $0[1], $0[2]) }
        }
    }

    private static let datesOfShow = """
        SELECT start_at, end_at, status FROM show
        WHERE id = ? AND ghost = 0 AND kept = 0 AND \(isListed) AND json IS NOT NULL
        """
}

extension ServedReader {
    package func latestEvent() throws -> EventID? { try LogEnd(db)?.event }

    /// What happened after an event, for one page.
    ///
    /// A change of a list, document or picture under an object is one of the object. What was done by restoring and
    /// undoing is left out as in ``CatalogueStore/changed(_:since:)``, and looked past.
    ///
    /// - Parameters:
    ///   - notBefore: an event is too old if the first change after it is older, as the store writes times.
    ///   - limit: objects on a page.
    ///   - rows: changes that are looked at for one page.
    package func events(
        after event: EventID, of feed: EventFeed = .partner, notBefore: String, limit: Int = 50,
        rows: Int = 2_000
    ) throws -> EventsSince {
        guard let end = try LogEnd(db) else { return .unknown }
        switch try end.place(of: event, in: db) {
        case .unknown: return .unknown
        case .cut: return .expired
        case .reached: break
        }
        let log = try Row.fetchCursor(
            db.cachedStatement(sql: Self.changesAfter), arguments: [event.seq])
        var window = EventWindow(last: event), folder = EventFolder(limit: limit), looked = 0
        var part = ShowPart(feed: feed, db: db)
        while let change = try log.next() {
            let at: String = change[1]
            if looked == 0, at < notBefore { return .expired }
            let seq: Int64 = change[0]
            if looked == rows {
                window.hasMore = true
                break
            }
            if let (kind, id, action) = Self.change(change), try part.has(kind, id),
                !folder.add(kind, id, action, seq: seq)
            {
                window.hasMore = true
                break
            }
            looked += 1
            window.last = EventID(log: event.log, seq: seq, stamp: EventID.stamp(of: at))
        }
        window.changes = folder.changes
        return .window(window)
    }

    private static let changesAfter = """
        SELECT seq, at, kind, id, owner, action, action <> 'update' AND EXISTS (
            SELECT 1 FROM sync_log WHERE sync_log.run = change.run AND \(CatalogueStore.isUpkeep))
        FROM change WHERE seq > ? ORDER BY seq
        """

    /// The object that a row is about, and what happened to it; `nil` if that is nobody's business.
    private static func change(_ row: Row) -> (Kind, String, ObjectChange.Action)? {
        guard !row[6], let kind = Kinds.standard[row[2]] else { return nil }
        switch kind {
        case .user: return nil
        case .document:
            let owner: String? = row[4]
            return owner.flatMap(Owner.init(logged:)).map { ($0.kind, $0.id, .update) }
        default: break
        }
        let action: ObjectChange.Action =
            switch row[5] as String {
            case "create": .create
            case "delete": .delete
            default: .update
            }
        return (kind, row[3], action)
    }
}

/// Which objects are part of a feed.
private struct ShowPart {
    let feed: EventFeed
    let db: Database
    private var artworks: [ExactText: Bool] = [:]

    init(feed: EventFeed, db: Database) {
        self.feed = feed
        self.db = db
    }

    mutating func has(_ kind: Kind, _ id: String) throws -> Bool {
        guard case .show(let show) = feed else { return true }
        switch kind {
        case .show: return ExactText.same(id, show)
        case .artwork:
            if let known = artworks[ExactText(id)] { return known }
            let member = try db.cachedStatement(
                sql: "SELECT 1 FROM show_artwork WHERE artwork_id = ? AND show_id = ? LIMIT 1")
            let isMember = try Int.fetchOne(member, arguments: [id, show]) != nil
            artworks[ExactText(id)] = isMember
            return isMember
        default: return false
        }
    }
}
