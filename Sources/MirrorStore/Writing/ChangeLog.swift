import Catalogue
import Foundation
import GRDB

/// Writes down every create, update and delete, with the earlier state and the evidence.
///
/// Times never go back from one row to the next, whatever the clock does, so that what changed since a moment is what was
/// noted behind the last earlier row.
struct ChangeLog {
    let db: Database
    /// The kinds that the store holds.
    let kinds: Kinds
    private let statements: [Kind: ObjectStatements]
    let run: Int64?
    let at: String
    /// What the clock says, which may have been set back.
    let clock: String
    /// Noted where a write itself brings no evidence.
    let evidence: String?
    /// Whether this is a part of a snapshot, for which one entry stands (``LoadEntry``): only what goes is noted by itself.
    let isLoading: Bool
    /// What was done to slugs; settled at the end of the transaction (``RivalSettlement``).
    let slugs = SlugChanges()

    /// For the changes of one transaction of a store, in which this is made.
    ///
    /// They are noted with the time of the store's clock; where the last change that was noted has a later one, with the moment
    /// after that.
    init(
        _ store: CatalogueStore, _ db: Database, run: Int64?, evidence: String? = nil, isLoading: Bool = false
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

    /// A millisecond later: what is noted when the clock was set back lies behind what was noted before, so that whoever
    /// knows all changes up to a past moment can ask for those behind it.
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

    /// What the clock says, in whole seconds since 1970.
    var now: Double { Timestamp(clock).map { Double($0.seconds) } ?? .infinity }

    enum Action: String { case create, update, delete }

    /// - Parameter always: whether it is noted also while a snapshot is taken in.
    func note(
        _ action: Action, _ kind: Kind, _ id: String, owner: String? = nil, list: String? = nil,
        before: String? = nil, evidence: String? = nil, always: Bool = false
    ) throws {
        guard !isLoading || action == .delete || always else { return }
        var row = try FastStatement(db, Self.insert)
        try row.run(run, at, kind.name, id, owner, action.rawValue, list, before, evidence ?? self.evidence)
    }

    /// Notes that a list under an object changed.
    ///
    /// What is added under an object after the run's transaction that created it is no news to people, but it is to whoever
    /// this mirror is served to and has read it meanwhile: then it is noted without what was there before
    /// (``isForOthersOnly``).
    ///
    /// - Returns: whether the object was there before this run.
    @discardableResult
    func note(list: String, of owner: Owner, before: String, evidence: String? = nil) throws -> Bool {
        if isLoading { return false }
        let isNew = try created(owner.kind, owner.id)
        try note(.update, owner.kind, owner.id, list: list, before: isNew ? nil : before, evidence: evidence)
        return !isNew
    }

    /// The condition that a row says something only to whoever this mirror is served to: an object that the same run
    /// created got its members, or what is served of an edited album became another version. Logs, diffs and counts leave
    /// it out.
    static let isForOthersOnly = "(list IS NOT NULL AND before IS NULL)"

    /// The condition that a row is of the run `?1`: the log before it need not be looked through.
    static let isOfRun = "run = ?1 AND seq >= (SELECT first_change FROM sync_log WHERE run = ?1)"

    /// Adds, to what was noted last, the files that the earlier state had and the new one hasn't: ``LostFile``s as JSON.
    func noteFiles(_ files: String) throws {
        guard !isLoading else { return }
        try db.run("UPDATE change SET files = ? WHERE seq = (SELECT max(seq) FROM change)", [files])
    }

    private static let insert = """
        INSERT INTO change (run, at, kind, id, owner, action, list, before, evidence)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Whether this run already noted that the object came to be.
    private func created(_ kind: Kind, _ id: String) throws -> Bool {
        guard let run else { return false }
        return try db.isTrue(
            "SELECT 1 FROM change WHERE kind = ? AND id = ? AND run = ? AND action = 'create' LIMIT 1",
            [kind.name, id, run])
    }
}

/// What others are given of an album that may be edited here: its version on the server, and its artworks there.
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
    /// Does something to an album that was edited here. Where what is served of it becomes another, that is noted, even if
    /// the album as it is here stays the same: else whoever it is served to would not hear of it.
    func watching<T>(album id: String, _ body: () throws -> T) throws -> T {
        let before = try ServedAlbum(id, in: self)
        let last = try db.number("SELECT max(seq) FROM change") ?? 0
        let result = try body()
        guard try ServedAlbum(id, in: self) != before else { return result }
        let isNoted = "SELECT EXISTS (SELECT 1 FROM change WHERE kind = 'album' AND id = ? AND seq > ?)"
        if try !db.isTrue(isNoted, [id, last]) {
            try note(.update, .album, id, list: "served")
        }
        return result
    }
}
