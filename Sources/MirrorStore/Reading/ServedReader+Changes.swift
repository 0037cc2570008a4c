import Catalogue
import GRDB

/// An object of which something that is served may have changed.
package struct ChangedSince: Sendable, Hashable {
    package let id: String
    /// When its last change was noted.
    package let at: String
}

/// Whose feed of events is asked for.
package enum EventFeed: Sendable, Hashable {
    case partner
    /// The show itself and the artworks in it.
    case show(String)
}

/// What the change log says to a client that knows everything up to an event.
package enum EventsSince: Sendable, Hashable {
    /// The event isn't one of this log: it is another database's, or this one was put back to an earlier state.
    case unknown
    /// What came after the event is no longer all there, or too old.
    case expired
    case window(EventWindow)
}

/// The part of the change log that a page of events covers.
package struct EventWindow: Sendable, Hashable {
    /// The objects that changed, each once, in the order of their last changes.
    package var changes: [ObjectChange] = []
    /// The last change that was looked at, or the event that was asked with.
    package var last: EventID
    /// Whether there are changes behind it.
    package var hasMore = false
}

/// What happened to an object in a part of the log: all of it as one.
package struct ObjectChange: Sendable, Hashable {
    package typealias Action = CommittedChange.Action

    package let kind: Kind
    package let id: String
    package let action: Action
}

extension CommittedChange {
    /// What happened to an object.
    public enum Action: String, Sendable, Hashable {
        case create, update, delete

        /// Together with what happened next: what was created stays so until it is deleted; what was deleted and is
        /// created again is another version of what was there.
        func then(_ next: Action) -> Action {
            switch (self, next) {
            case (_, .delete): .delete
            case (.delete, _): .update
            case (.create, _), (.update, _): self
            }
        }
    }
}

extension ServedReader {
    /// What changed, compared by its id's bytes.
    private struct Subject: Hashable {
        let kind: Kind
        let id: ExactText
    }

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
        let log = try Row.fetchCursor(db.cachedStatement(sql: Self.changesAfter), arguments: [event.seq])
        var window = EventWindow(last: event), looked = 0
        var folded: [Subject: (action: ObjectChange.Action, seq: Int64)] = [:]
        while let change = try log.next() {
            let at: String = change[1]
            if looked == 0, at < notBefore { return .expired }
            let seq: Int64 = change[0]
            if looked == rows {
                window.hasMore = true
                break
            }
            if let (kind, id, action) = self.change(change), try has(feed, kind, id) {
                let subject = Subject(kind: kind, id: ExactText(id)), earlier = folded[subject]
                guard earlier != nil || folded.count < limit else {
                    window.hasMore = true
                    break
                }
                folded[subject] = (earlier?.action.then(action) ?? action, seq)
            }
            looked += 1
            window.last = EventID(log: event.log, seq: seq, stamp: EventID.stamp(of: at))
        }
        window.changes = folded.sorted { $0.value.seq < $1.value.seq }.map {
            ObjectChange(kind: $0.key.kind, id: $0.key.id.text, action: $0.value.action)
        }
        return .window(window)
    }

    private static let changesAfter = """
        SELECT seq, at, kind, id, owner, action, action <> 'update' AND EXISTS (
            SELECT 1 FROM sync_log WHERE sync_log.run = change.run AND \(CatalogueStore.isUpkeep))
        FROM change WHERE seq > ? ORDER BY seq
        """

    /// The object that a row is about, and what happened to it; `nil` if that is no event.
    private func change(_ row: Row) -> (Kind, String, ObjectChange.Action)? {
        guard !row[6], let kind = kinds[row[2]], kind != .user else { return nil }
        guard kind.isPart else {
            return (kind, row[3], ObjectChange.Action(rawValue: row[5]) ?? .update)
        }
        return (row[4] as String?).flatMap { Owner(logged: $0, among: kinds) }.map {
            ($0.kind, $0.id, .update)
        }
    }

    /// Whether an object is part of a feed.
    private func has(_ feed: EventFeed, _ kind: Kind, _ id: String) throws -> Bool {
        guard case .show(let show) = feed else { return true }
        guard kind == .artwork else { return kind == .show && ExactText.same(id, show) }
        return try db.isTrue("SELECT 1 FROM show_artwork WHERE artwork_id = ? AND show_id = ?", [id, show])
    }
}

extension CatalogueStore {
    /// The objects of a kind that changed at or after a time, each once, in the order of their last changes.
    ///
    /// A change of a list, document or picture under an object is one of the object. The log is read from its newest row
    /// back to the first that is older: times in it never go back, so the cost is that of the window.
    ///
    /// - Parameter since: as the store writes times.
    /// - Returns: `nil` if the log doesn't reach back so far: what was deleted before it began is not in it.
    package func changed(_ kind: Kind, since: String) throws -> [ChangedSince]? {
        try read { db in
            guard let start = try Self.logStart(in: db), start <= since else { return nil }
            let rows = try Row.fetchCursor(db.cachedStatement(sql: Self.newestChanges))
            var seen = Set<ExactText>(), changed: [ChangedSince] = []
            while let row = try rows.next() {
                let at: String = row[0]
                guard at >= since else { break }
                guard let object = ChangedObject(kind: row[1], id: row[2], owner: row[3], among: kinds)
                else { continue }
                let whole = object.owner ?? Owner(object.kind, object.id)
                guard whole.kind == kind, seen.insert(ExactText(whole.id)).inserted else { continue }
                changed.append(ChangedSince(id: whole.id, at: at))
            }
            return changed.reversed()
        }
    }

    /// The moment behind the last change: a client that has read everything now misses nothing if it asks for what changed since.
    /// `nil` if nothing has changed yet.
    package func changesEnd() throws -> String? {
        let now = timestamp()
        let last = try read { try $0.text("SELECT at FROM change ORDER BY seq DESC LIMIT 1") }
        // In the very moment of the last change, another may still come.
        return last.map { $0 < now ? ChangeLog.moment(after: $0) : $0 }
    }

    /// The time from which on everything that happened to this mirror is in its log.
    ///
    /// Where nothing was cut off, that is the first change. Before it there may have been another mirror in the place of
    /// this one, whose objects nobody would say to be gone. A mirror without any change proves nothing.
    private static func logStart(in db: Database) throws -> String? {
        try db.text(
            """
            SELECT coalesce((SELECT value FROM meta WHERE key = ?), (SELECT at FROM change ORDER BY seq LIMIT 1))
            """, [Fact.changeLogStart.rawValue])
    }

    /// Creates and deletes by which something is restored, or that is undone, aren't read: what was not served before
    /// such a one isn't served after it.
    private static let newestChanges = """
        SELECT at, kind, id, owner FROM change WHERE action = 'update' OR run IS NULL
          OR run NOT IN (SELECT run FROM sync_log WHERE \(isUpkeep)) ORDER BY seq DESC
        """

    /// The last event: a client that has read everything after asking for it misses nothing if it asks for what came after it. One
    /// row: cheap enough for every poll.
    ///
    /// `nil` in a database of an earlier version that can't be written: its log has no id.
    package func latestEvent() throws -> EventID? { try served { try $0.latestEvent() } }

    /// When a show is on, as its row says; `nil` for a show that is not among those that are served.
    package func showDates(_ id: String) throws -> (start: String?, end: String?, status: String?)? {
        let sql = """
            SELECT start_at, end_at, status FROM show
            WHERE id = ? AND ghost = 0 AND kept = 0 AND linked = 0 AND json IS NOT NULL
            """
        return try read { try $0.row(sql, [id]).map { ($0[0], $0[1], $0[2]) } }
    }
}
