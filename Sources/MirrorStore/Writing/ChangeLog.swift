import Catalogue
import Foundation
import GRDB

/// Logs every create, update and delete, with the earlier state and the evidence.
///
/// Times never decrease from one row to the next, even if the clock is set back. So the changes since a moment are the rows
/// after the last earlier row.
struct ChangeLog {
    let db: Database
    /// The kinds in the store.
    let kinds: Kinds
    private let statements: [Kind: ObjectStatements]
    /// The run that makes the changes; `nil` outside a run.
    let run: Int64?
    /// The time of the changes in the log.
    let at: String
    /// The clock's time, which may have been set back.
    let clock: String
    /// The evidence of changes that have none of their own.
    let evidence: Evidence?
    /// Whether a snapshot is being loaded, which has a single entry (``LoadEntry``): then only deletions are logged one by one.
    let isLoading: Bool
    /// The transaction's changes of slugs; settled at its end (``RivalSettlement``).
    let slugs = SlugChanges()

    /// Creates the log of one transaction, inside it.
    ///
    /// Its changes have the time of the store's clock. If the last logged change has a later time, they have the millisecond
    /// after that.
    init(
        _ store: CatalogueStore, _ db: Database, run: Int64?, evidence: Evidence? = nil,
        isLoading: Bool = false
    ) throws {
        self.db = db
        kinds = store.kinds
        statements = store.statements
        self.run = run
        clock = store.timestamp()
        self.isLoading = isLoading
        let latest = try db.text("SELECT at FROM change ORDER BY seq DESC LIMIT 1")
        at = latest.map { [clock] in $0 <= clock ? clock : Self.moment(after: $0) } ?? clock
        self.evidence = evidence
    }

    /// A time plus one millisecond.
    ///
    /// After the clock was set back, changes get times after those of earlier changes. So a client that has all changes up to a
    /// moment can request the later ones.
    package static func moment(after time: String) -> String {
        let digits = time.dropLast().suffix(3)
        guard let milliseconds = Int(digits), time.utf8.count == "2026-01-31T12:00:00.000Z".utf8.count else {
            return time
        }
        guard milliseconds == 999 else {
            return time.dropLast(4) + String(1_000 + milliseconds + 1).dropFirst() + "Z"
        }
        guard let second = Timestamp(String(time.dropLast(5)) + "Z")?.seconds else { return time }
        return Timestamp(seconds: second + 1).text
    }

    /// The statements by which objects of a kind are written.
    func statements(_ kind: Kind) -> ObjectStatements { statements[kind] ?? ObjectStatements(kind) }

    /// The clock's time in whole seconds since 1970.
    var now: Double { Timestamp(clock).map { Double($0.seconds) } ?? .infinity }

    enum Action: String { case create, update, delete }

    /// Logs a change.
    ///
    /// - Parameter always: whether it is logged even while a snapshot is loaded. Default: `false`.
    func note(
        _ action: Action, _ kind: Kind, _ id: String, owner: String? = nil, list: String? = nil,
        before: String? = nil, evidence: Evidence? = nil, always: Bool = false
    ) throws {
        guard !isLoading || action == .delete || always else { return }
        var row = try FastStatement(db, Self.insert)
        try row.run(
            run, at, kind.name, id, owner, action.rawValue, list, before,
            (evidence ?? self.evidence)?.text)
    }

    /// Logs a change of a list under an object.
    ///
    /// If this run created the object, members that are added later are part of its creation for the readers of the log. But a
    /// client of this mirror may have fetched the object in between. So the change is logged without an earlier state
    /// (``isForClientsOnly``).
    ///
    /// - Returns: whether the object existed before this run.
    @discardableResult
    func note(list: String, of owner: Owner, before: String, evidence: Evidence? = nil) throws -> Bool {
        if isLoading { return false }
        let isNew = try created(owner.kind, owner.id)
        try note(.update, owner.kind, owner.id, list: list, before: isNew ? nil : before, evidence: evidence)
        return !isNew
    }

    /// SQL condition: a row is only for clients of this mirror. Logs, diffs and counts leave it out.
    ///
    /// Either an object that the same run created got members, or the served version of an edited album changed.
    static let isForClientsOnly = "(list IS NOT NULL AND before IS NULL)"

    /// SQL: the object that the row `row` of the log deleted; `NULL` if its state is damaged.
    static func deletedObject(_ row: String) -> String {
        "CASE WHEN json_valid(\(row).before) THEN json_extract(\(row).before, '$.body') END"
    }

    /// SQL: the object or list before the change in the row `row` of the log. Of a deletion it is the object alone; `NULL` if
    /// its state is damaged.
    static func stateBefore(_ row: String) -> String {
        "CASE WHEN \(row).action <> 'delete' THEN \(row).before ELSE \(deletedObject(row)) END"
    }

    /// SQL: the run that made the first copy, which is the first complete run that fetched or imported the catalogue. What it
    /// and the runs before it stored was new to the mirror, not to the catalogue.
    static let firstCopy = """
        SELECT run FROM sync_log WHERE outcome = 'complete' AND command IN ('sync', 'import') ORDER BY run LIMIT 1
        """

    /// SQL condition: the row `row` of the log is from after the first copy.
    ///
    /// The second part avoids reading the log before that run, and all of it if there is none.
    static func isAfterFirstCopy(_ row: String) -> String {
        """
        (\(row).run IS NULL OR \(row).run > (\(firstCopy)))
        AND \(row).seq >= (SELECT first_change FROM sync_log WHERE run = (\(firstCopy)))
        """
    }

    /// SQL condition: a row is from the run `?1`. The second part avoids reading the log before the run.
    static let isOfRun = "run = ?1 AND seq >= (SELECT first_change FROM sync_log WHERE run = ?1)"

    /// Adds the files that the change removes to the last logged row: ``LostFile``s as JSON.
    func noteFiles(_ files: String) throws {
        guard !isLoading else { return }
        try db.run("UPDATE change SET files = ? WHERE seq = (SELECT max(seq) FROM change)", [files])
    }

    private static let insert = """
        INSERT INTO change (run, at, kind, id, owner, action, list, before, evidence)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Whether this run has logged the object's creation.
    private func created(_ kind: Kind, _ id: String) throws -> Bool {
        guard let run else { return false }
        return try db.isTrue(
            "SELECT 1 FROM change WHERE kind = ? AND id = ? AND run = ? AND action = 'create' LIMIT 1",
            [kind.name, id, run])
    }
}

/// The served state of an album: the server's version and artworks, without local edits.
private struct ServedAlbum: Equatable {
    let etag: String?
    let members: [ExactText]

    init(_ id: String, in log: ChangeLog) throws {
        let reader = ServedReader(db: log.db, kinds: log.kinds)
        etag = try reader.listed(.album, id)?.etag
        members = try reader.members(of: Owner(.album, id)).map(ExactText.init)
    }
}

extension ChangeLog {
    /// Changes an album with local edits, and logs the change if the served state changed.
    ///
    /// The served state may change even if the local state stays the same, and clients of this mirror have to be informed.
    func loggingServedChange<T>(ofAlbum id: String, _ body: () throws -> T) throws -> T {
        let before = try ServedAlbum(id, in: self)
        let last = try db.number("SELECT max(seq) FROM change") ?? 0
        let result = try body()
        guard try ServedAlbum(id, in: self) != before else { return result }
        let isLogged = "SELECT EXISTS (SELECT 1 FROM change WHERE kind = 'album' AND id = ? AND seq > ?)"
        if try !db.isTrue(isLogged, [id, last]) {
            try note(.update, .album, id, list: "served")
        }
        return result
    }
}
