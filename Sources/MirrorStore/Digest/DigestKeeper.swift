import Catalogue
import GRDB

/// Keeps a stored digest up to date with the ETags that it summarises.
///
/// Every change is recorded in its own transaction: changes of served objects in the change log, changes of the origin's ETags
/// by triggers in `digest_mark`. The next request for the digest updates it for the recorded objects, at O(log n) each. Before
/// the first request there are no triggers, and the digest costs nothing.
struct DigestKeeper {
    let source: any DigestSource
    let reader: ServedReader
    private var db: Database { reader.db }
    private var side: DigestSide { source.side }
    fileprivate var table: DigestTable { DigestTable(db: db, side: side) }

    init(_ source: any DigestSource, _ db: Database, _ kinds: Kinds) {
        self.source = source
        reader = ServedReader(db: db, kinds: kinds)
    }

    /// The last change that the digest includes; `nil` if it isn't built, or if later changes were pruned from the log.
    private func position() throws -> Int64? {
        let sql = "SELECT position FROM digest WHERE side = ?"
        guard let position = try db.value(Int64.self, sql, [side.rawValue]) else { return nil }
        guard side == .served, let cut = try LogEnd(db)?.cut else { return position }
        return cut.seq > position ? nil : position
    }

    /// The number of the last recorded change.
    private func end() throws -> Int64 {
        let log = side == .served ? "change" : "digest_mark"
        return try db.value(Int64.self, "SELECT seq FROM sqlite_sequence WHERE name = ?", [log]) ?? 0
    }

    /// Whether the digest was ever requested; `false` in a database of an earlier version, which has none.
    func isBuilt() throws -> Bool { try db.tableExists("digest") && position() != nil }

    /// Whether the digest includes all changes; `false` in a database of an earlier version, which has none.
    func isCurrent() throws -> Bool {
        guard try db.tableExists("digest") else { return false }
        return try position() == end()
    }

    /// Brings the digest up to date, in the caller's transaction.
    func update() throws {
        let end = try end()
        guard let position = try position() else { return try build(end) }
        guard position < end else { return }
        let owners = try changed(after: position)
        var orders: [Int64] = []
        for owner in owners { try update(owner, &orders) }
        try table.update(orders.sorted())
        try storePosition(end)
    }

    /// The maximum number of marks between two requests for the digest.
    private static let markLimit = 100_000

    /// Drops the digest of the origin's ETags if it has too many marks, because nothing requests it any more.
    static func forgetUnasked(_ db: Database) throws {
        let marks = try db.number("SELECT count(*) FROM digest_mark") ?? 0
        guard marks > markLimit else { return }
        try forgetOrigin(db)
    }

    /// Drops the digest of the origin's ETags, with its triggers. It is built again when it is next requested.
    static func forgetOrigin(_ db: Database) throws {
        try db.run("DELETE FROM digest WHERE side = ?", [DigestSide.origin.rawValue])
        try Schema.dropDigestMarkers(db)
        try db.run("DELETE FROM digest_mark")
    }

    // MARK: - What changed

    private func changed(after position: Int64) throws -> Set<Owner> {
        var owners = Set<Owner>()
        switch side {
        case .served:
            // The change log doesn't contain changes of the user. Both objects are always checked: that is two rows.
            for kind in [Kind.partner, .user] {
                if let id = try reader.single(kind)?.id { owners.insert(Owner(kind, id)) }
            }
            // Without `DISTINCT`, for which SQLite would scan an index of the whole log.
            let sql = "SELECT kind, id, owner FROM change WHERE seq > ?"
            try db.forEach(sql, [position]) { row in
                // A change of a list or document updates all leaves of its object.
                let object = ChangedObject(kind: row[0], id: row[1], owner: row[2], among: reader.kinds)
                if let object { owners.insert(object.owner ?? Owner(object.kind, object.id)) }
            }
        case .origin:
            let sql = "SELECT kind, id FROM digest_mark WHERE number > ?"
            try db.forEach(sql, [position]) { row in
                if let kind = reader.kinds[row[0]] { owners.insert(Owner(kind, row[1])) }
            }
        }
        return owners
    }

    private func update(_ owner: Owner, _ orders: inout [Int64]) throws {
        let now = try source.leaves(of: owner, in: reader), name = DocumentWriter.name(owner)
        if let own = now.own {
            if try table.etag(of: own.url) != own.etag { orders.append(try table.put(own, owner: nil)) }
        } else if let url = source.url(of: owner) {
            orders.append(try table.remove(url))
        }
        guard !owner.kind.lists.isEmpty else { return }
        var new = Set(now.under)
        for old in try table.leaves(under: name) where new.remove(old) == nil {
            orders.append(try table.remove(old.url))
        }
        for leaf in new { orders.append(try table.put(leaf, owner: name)) }
    }

    // MARK: - Building

    private func build(_ end: Int64) throws {
        try db.run("DELETE FROM digest_leaf WHERE side = ?", [side.rawValue])
        try source.eachOwner(in: reader) { owner, leaves in
            guard let own = leaves.own else { return }
            _ = try table.put(own, owner: nil)
            let name = DocumentWriter.name(owner)
            for leaf in leaves.under { _ = try table.put(leaf, owner: name) }
        }
        try table.buildNodes()
        if side == .origin {
            for statement in Schema.digestMarkers(reader.kinds) { try db.execute(sql: statement) }
        }
        try storePosition(end)
    }

    private func storePosition(_ end: Int64) throws {
        try db.run("INSERT OR REPLACE INTO digest (side, position) VALUES (?, ?)", [side.rawValue, end])
        if side == .origin { try db.run("DELETE FROM digest_mark WHERE number <= ?", [end]) }
    }
}

extension CatalogueStore {
    /// A node of a digest, brought up to date first.
    ///
    /// If nothing changed since the last request, one row is read. Otherwise each change costs O(log n). The first request
    /// reads all objects.
    ///
    /// - Throws: ``StoreError``; `readOnly` if the digest is out of date and can't be written.
    package func digest(_ prefix: DigestPrefix, from source: some DigestSource) throws -> DigestNode {
        let current = try read { db in
            let keeper = DigestKeeper(source, db, kinds)
            return try keeper.isCurrent() ? try keeper.table.node(prefix) : nil
        }
        if let current { return current }
        return try write(isServed: false) { db in
            let keeper = DigestKeeper(source, db, kinds)
            try keeper.update()
            return try keeper.table.node(prefix)
        }
    }

    /// Brings a digest up to date, if it was ever requested.
    package func updateDigest(from source: some DigestSource) throws {
        let isDue = try read { db in
            let keeper = DigestKeeper(source, db, kinds)
            return try keeper.isBuilt() && !keeper.isCurrent()
        }
        if isDue { try write(isServed: false) { try DigestKeeper(source, $0, kinds).update() } }
    }

    /// Drops both digests. They are built again when they are next requested.
    package func forgetDigests() throws {
        try write(isServed: false) { db in
            try db.run("DELETE FROM digest")
            try DigestKeeper.forgetOrigin(db)
        }
    }

    /// All leaves of a digest under a prefix, without bringing the digest up to date.
    package func digestLeaves(_ prefix: DigestPrefix, _ side: DigestSide) throws -> [DigestLeaf] {
        try read { try DigestTable(db: $0, side: side).leaves(under: prefix, limit: .max) }
    }
}
