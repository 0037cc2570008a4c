import Catalogue
import GRDB

/// A place in a mirror's change log, which an app may keep over restarts.
public struct ChangePosition: RawRepresentable, Sendable, Hashable, Codable {
    let event: EventID

    init(_ event: EventID) { self.event = event }

    /// `nil` for a text that is none of ``rawValue``.
    public init?(rawValue: String) {
        guard let event = EventID(rawValue) else { return nil }
        self.init(event)
    }

    /// A text to keep over restarts.
    public var rawValue: String { event.text }
}

/// That an object was created, updated or deleted in the mirror.
public struct CommittedChange: Sendable, Hashable {
    /// The object's kind.
    public let kind: Kind
    /// The object's id; of a document, unique only with ``owner``.
    public let id: String
    /// Whose a document is; `nil` for every other kind.
    public let owner: Owner?
    /// A change of the artworks or pictures of an object is an update of it.
    public let action: Action
    /// The run that did it; `nil` for what was done outside a run, such as an edit of an album.
    public let run: Int64?
}

/// What was committed to a mirror since it was looked at before.
public struct CommittedChanges: Sendable, Hashable {
    /// The place behind ``changes``, where ``CatalogueStore/changes(after:every:sleep:)`` goes on.
    public let position: ChangePosition
    /// What the change log gained, in its order: 500 at the most, as the rest comes in the next element. Empty where something else
    /// was committed, such as the files of pictures.
    public let changes: [CommittedChange]
    /// Whether there may be changes before ``position`` that are not named: the log doesn't reach back so far, or a whole catalogue
    /// was taken in at once, without an entry for each object. Then read everything again that is shown.
    public let isGap: Bool
}

/// What a look at the end of the change log found.
struct CommitReading {
    /// `nil` if nothing was committed.
    let commit: CommittedChanges?
    /// The store's generation at that instant; `nil` if there is more behind ``commit``.
    let generation: Int?
}

extension CommittedChange {
    /// From the first five columns of ``CatalogueStore/commits(after:generation:limit:)``; `nil` for a kind that this version doesn't know.
    fileprivate init?(_ row: Row, among kinds: Kinds) {
        guard let object = ChangedObject(kind: row[0], id: row[1], owner: row[2], among: kinds),
            let action = Action(rawValue: row[3])
        else { return nil }
        self.init(kind: object.kind, id: object.id, owner: object.owner, action: action, run: row[4])
    }
}

extension CatalogueStore {
    /// The end of the change log at this instant.
    ///
    /// Ask for it before anything is read that is to be kept up to date, and hand it to ``changes(after:every:sleep:)``: then
    /// nothing is missed.
    ///
    /// - Throws: ``StoreError``: `readOnly` for a mirror of an earlier version that this user may only read.
    public func changePosition() throws -> ChangePosition { try commitState().end }

    /// The end of the change log, and the generation, at one instant.
    func commitState() throws -> (end: ChangePosition, generation: Int) {
        try read { try (ChangePosition(logEnd(in: $0).event), Self.generation(in: $0)) }
    }

    /// What was committed after a position, if anything was.
    ///
    /// - Parameters:
    ///   - generation: the one that was read last; `nil` if it isn't known: then only what was logged counts as committed.
    ///   - limit: changes at the most.
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
