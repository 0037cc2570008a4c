import Catalogue
import GRDB

/// An object that may have changed since a date in a way that clients see.
package struct ChangedSince: Sendable, Hashable {
    package let id: String
    /// The time of its last change in the log.
    package let at: String
}

/// A feed of events that a client can request.
package enum EventFeed: Sendable, Hashable {
    /// All objects.
    case partner
    /// The show with an id, and its artworks.
    case show(String)
}

/// The answer of the change log to a client that has processed all events up to a given one.
package enum EventsSince: Sendable, Hashable {
    /// The event isn't in this log. It is another database's, or this database was replaced by an earlier state of it.
    case unknown
    /// Some of the changes after the event were pruned, or they are too old.
    case expired
    /// The next changes after the event.
    case window(EventWindow)
}

/// The part of the change log that a page of events covers.
package struct EventWindow: Sendable, Hashable {
    /// The objects that changed, each once, in the order of their last changes.
    package var changes: [ObjectChange] = []
    /// The last change that was read. If none was, the event with which the client asked.
    package var last: EventID
    /// Whether there are later changes.
    package var hasMore = false
}

/// The combined effect of all changes of an object in a part of the log.
package struct ObjectChange: Sendable, Hashable {
    package typealias Action = CommittedChange.Action

    package let kind: Kind
    package let id: String
    package let action: Action
}

extension CommittedChange {
    /// How an object changed.
    public enum Action: String, Sendable, Hashable {
        /// The object was created, updated or deleted.
        case create, update, delete

        /// Combines an action with the next one on the same object.
        ///
        /// A created object that is then updated was created. A deleted object that is then created again was updated.
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
    /// A changed object. Ids are compared byte by byte.
    private struct Subject: Hashable {
        let kind: Kind
        let id: ExactText
    }

    /// The last event of the log; `nil` if the log has no id (``CatalogueStore/latestEvent()``).
    package func latestEvent() throws -> EventID? { try LogEnd(db)?.event }

    /// The changes after an event, for one page.
    ///
    /// A change of an object's list, document or picture counts as an update of the object. Objects that were created or
    /// deleted by restoring and undoing are skipped, as in ``CatalogueStore/changed(_:since:)``.
    ///
    /// - Parameters:
    ///   - notBefore: an event has expired if the first change after it is older. In the store's format of times.
    ///   - limit: the maximum number of objects on a page.
    ///   - rows: the maximum number of changes that are read for one page.
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
        var window = EventWindow(last: event), rowsRead = 0
        var folded: [Subject: (action: ObjectChange.Action, seq: Int64)] = [:]
        while let change = try log.next() {
            let at: String = change[1]
            if rowsRead == 0, at < notBefore { return .expired }
            let seq: Int64 = change[0]
            if rowsRead == rows {
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
            rowsRead += 1
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

    /// Reads the changed object and the action from a row; `nil` if the change is not an event.
    private func change(_ row: Row) -> (Kind, String, ObjectChange.Action)? {
        guard !row[6], let kind = kinds[row[2]], kind != .user else { return nil }
        guard kind.isPart else {
            return (kind, row[3], ObjectChange.Action(rawValue: row[5]) ?? .update)
        }
        return (row[4] as String?).flatMap { Owner(logged: $0, among: kinds) }.map {
            ($0.kind, $0.id, .update)
        }
    }

    /// Whether an object belongs to a feed.
    private func has(_ feed: EventFeed, _ kind: Kind, _ id: String) throws -> Bool {
        guard case .show(let show) = feed else { return true }
        guard kind == .artwork else { return kind == .show && ExactText.same(id, show) }
        return try db.isTrue("SELECT 1 FROM show_artwork WHERE artwork_id = ? AND show_id = ?", [id, show])
    }
}

extension CatalogueStore {
    /// The objects of a kind that changed at or after a time, each once, in the order of their last changes.
    ///
    /// A change of an object's list, document or picture counts as a change of the object. The log is read backwards from its
    /// newest row to the first that is older. Times in the log never decrease, so no older rows are read.
    ///
    /// - Parameter since: in the store's format of times.
    /// - Returns: `nil` if the log begins after that time: earlier deletions would be missing.
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
                let subject = object.owner ?? Owner(object.kind, object.id)
                guard subject.kind == kind, seen.insert(ExactText(subject.id)).inserted else { continue }
                changed.append(ChangedSince(id: subject.id, at: at))
            }
            return changed.reversed()
        }
    }

    /// The moment after the last change; `nil` if nothing has changed yet.
    ///
    /// A client that has read the whole catalogue now can ask for the changes since that moment, and misses none.
    package func changesEnd() throws -> String? {
        let now = timestamp()
        let last = try read { try $0.text("SELECT at FROM change ORDER BY seq DESC LIMIT 1") }
        // If the last change was made at the present moment, another may follow with the same time.
        return last.map { $0 < now ? ChangeLog.moment(after: $0) : $0 }
    }

    /// The time since which the log contains all changes of this mirror; `nil` if there are no changes.
    ///
    /// If nothing was pruned, it is the time of the first change, and not earlier: another mirror may have been served before,
    /// and the deletion of its objects isn't in this log.
    private static func logStart(in db: Database) throws -> String? {
        try db.text(
            """
            SELECT coalesce((SELECT value FROM meta WHERE key = ?), (SELECT at FROM change ORDER BY seq LIMIT 1))
            """, [Fact.changeLogStart.rawValue])
    }

    /// SQL: the changes, newest first, without objects that were created or deleted by restoring and undoing. Restored objects
    /// aren't served, so such changes don't affect clients.
    private static let newestChanges = """
        SELECT at, kind, id, owner FROM change WHERE action = 'update' OR run IS NULL
          OR run NOT IN (SELECT run FROM sync_log WHERE \(isUpkeep)) ORDER BY seq DESC
        """

    /// The last event of the log; `nil` in a database of an earlier version that can't be written, whose log has no id.
    ///
    /// A client that requests it, then reads the whole catalogue, and then asks for later events misses none. Only one row is
    /// read, so it can be called for every poll.
    package func latestEvent() throws -> EventID? { try served { try $0.latestEvent() } }

    /// The dates and status of a show; `nil` for a show that isn't in the served list of shows.
    package func showDates(_ id: String) throws -> (start: String?, end: String?, status: String?)? {
        let sql = """
            SELECT start_at, end_at, status FROM show
            WHERE id = ? AND ghost = 0 AND kept = 0 AND linked = 0 AND json IS NOT NULL
            """
        return try read { try $0.row(sql, [id]).map { ($0[0], $0[1], $0[2]) } }
    }
}
