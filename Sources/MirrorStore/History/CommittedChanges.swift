import Catalogue
import GRDB

/// A position in a mirror's change log, which an app may store between launches.
public struct ChangePosition: RawRepresentable, Sendable, Hashable, Codable {
    let event: EventID

    init(_ event: EventID) { self.event = event }

    /// Reads a ``rawValue``; `nil` for any other text.
    public init?(rawValue: String) {
        guard let event = EventID(rawValue) else { return nil }
        self.init(event)
    }

    /// The position as text, to store between launches.
    public var rawValue: String { event.text }
}

/// The creation, update or deletion of one object in a mirror.
public struct CommittedChange: Sendable, Hashable {
    /// The object's kind.
    public let kind: Kind
    /// The object's id. A document's id is unique only together with ``owner``.
    public let id: String
    /// The object that a document belongs to; `nil` for every other kind.
    public let owner: Owner?
    /// What happened to the object. A change of its artworks or pictures is an update.
    public let action: Action
    /// The run that made the change; `nil` for a change outside a run, such as an edit of an album.
    public let run: Int64?
}

/// The commits to a mirror since the last check.
public struct CommittedChanges: Sendable, Hashable {
    /// The position after ``changes``, from which ``CatalogueStore/changes(after:every:sleep:)`` can continue.
    public let position: ChangePosition
    /// The new entries of the change log, in order: at most 500; the next element has the rest.
    ///
    /// Empty if only other data was committed, such as the files of pictures.
    public let changes: [CommittedChange]
    /// Whether changes before ``position`` may be missing in ``changes``. Then read everything again that the app shows.
    ///
    /// Changes are missing if the log no longer reaches back to the position, or if a snapshot was loaded, which doesn't log
    /// each object.
    public let isGap: Bool
}

/// The result of one check of the change log's end.
struct CommitReading {
    /// `nil` if nothing was committed.
    let commit: CommittedChanges?
    /// The store's generation at that instant; `nil` if there are more changes after ``commit``.
    let generation: Int?
}

extension CommittedChange {
    /// Reads the first five columns of ``CatalogueStore/commits(after:generation:limit:)``; `nil` for an unknown kind.
    fileprivate init?(_ row: Row, among kinds: Kinds) {
        guard let object = ChangedObject(kind: row[0], id: row[1], owner: row[2], among: kinds),
            let action = Action(rawValue: row[3])
        else { return nil }
        self.init(kind: object.kind, id: object.id, owner: object.owner, action: action, run: row[4])
    }
}

extension CatalogueStore {
    /// The current end of the change log.
    ///
    /// To miss no change, call this before you read the data to keep up to date, and pass the result to
    /// ``changes(after:every:sleep:)``.
    ///
    /// - Throws: ``StoreError``: `readOnly` for a mirror of an earlier version that this user may only read.
    public func changePosition() throws -> ChangePosition { try commitState().end }

    /// The end of the change log and the generation at one instant.
    func commitState() throws -> (end: ChangePosition, generation: Int) {
        try read { try (ChangePosition(logEnd(in: $0).event), Self.generation(in: $0)) }
    }

    /// Reads the commits after a position.
    ///
    /// - Parameters:
    ///   - generation: the generation at the last check. With `nil` for unknown, only logged changes are found.
    ///   - limit: the maximum number of changes.
    func commits(after position: ChangePosition, generation: Int?, limit: Int) throws -> CommitReading {
        try read { db in
            let current = try Self.generation(in: db)
            guard current != generation else { return CommitReading(commit: nil, generation: current) }
            let end = try logEnd(in: db)
            guard case .reached = try end.place(of: position.event, in: db) else {
                let gap = CommittedChanges(position: ChangePosition(end.event), changes: [], isGap: true)
                return CommitReading(commit: gap, generation: current)
            }
            guard generation != nil || position.event != end.event else {
                return CommitReading(commit: nil, generation: current)
            }
            let rows = try db.rows(
                """
                SELECT kind, id, owner, action, run, seq, at FROM change WHERE seq > ? ORDER BY seq LIMIT ?
                """, [position.event.seq, limit])
            let last = rows.count < limit ? nil : rows.last
            let event = last.map { EventID(log: end.event.log, seq: $0[5], stamp: EventID.stamp(of: $0[6])) }
            let commit = CommittedChanges(
                position: ChangePosition(event ?? end.event),
                changes: rows.compactMap { CommittedChange($0, among: kinds) }, isGap: false)
            return CommitReading(commit: commit, generation: last == nil ? current : nil)
        }
    }

    private func logEnd(in db: Database) throws -> LogEnd {
        if let end = try LogEnd(db) { return end }
        throw StoreError(
            .readOnly,
            "\(path) was made by an earlier version. Run mirror status once as a user who may write it.")
    }
}
