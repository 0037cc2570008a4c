import Catalogue
import GRDB

/// Keeps a stored digest true to what it is over.
///
/// Every change is noted in its own transaction: of what is served, in the change log; of what came from the origin, by
/// triggers in `digest_mark`. The next request for the digest brings it up to date with the objects that are named
/// there, each at O(log n). Nothing is marked, there are no triggers, and nothing costs anything, before it was asked for
/// the first time.
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

    /// Up to where changes are in the digest; `nil` if it isn't built, or what changed since isn't known any more.
    private func position() throws -> Int64? {
        let sql = "SELECT position FROM digest WHERE side = ?"
        guard let position = try db.value(Int64.self, sql, [side.rawValue]) else { return nil }
        guard side == .served, let cut = try LogEnd(db)?.cut else { return position }
        return cut.seq > position ? nil : position
    }

    private func end() throws -> Int64 {
        let log = side == .served ? "change" : "digest_mark"
        return try db.value(Int64.self, "SELECT seq FROM sqlite_sequence WHERE name = ?", [log]) ?? 0
    }

    /// Whether anybody ever asked for it; `false` in a database of an earlier version, which has none.
    func isBuilt() throws -> Bool { try db.tableExists("digest") && position() != nil }

    /// Whether everything that changed is in it; `false` in a database of an earlier version, which has none.
    func isCurrent() throws -> Bool {
        guard try db.tableExists("digest") else { return false }
        return try position() == end()
    }

    /// Brings it up to date, in the transaction of the caller.
    func update() throws {
        let end = try end()
        guard let position = try position() else { return try build(end) }
        guard position < end else { return }
        let owners = try changed(after: position)
        var orders: [Int64] = []
        for owner in owners { try update(owner, &orders) }
        try table.update(orders.sorted())
        try settle(at: end)
    }

    /// How many marks wait at most for somebody to ask.
    private static let markLimit = 100_000

    /// Ends a digest of what came from the origin that nobody asks for any more, before its marks take much room.
    static func forgetUnasked(_ db: Database) throws {
        let marks = try db.number("SELECT count(*) FROM digest_mark") ?? 0
        guard marks > markLimit else { return }
        try forgetOrigin(db)
    }

    /// Drops the digest of what came from the origin, which is built again when it is next asked for. Until then nothing
    /// is marked.
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
            // The user may become another without a word in the log; both are two rows.
            for kind in [Kind.partner, .user] {
                if let id = try reader.single(kind)?.id { owners.insert(Owner(kind, id)) }
            }
            // Not `DISTINCT`: for that SQLite would go through an index of the whole log.
            let sql = "SELECT kind, id, owner FROM change WHERE seq > ?"
            try db.forEach(sql, [position]) { row in
                // What is under an object is looked up with it.
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
        var left = Set(now.under)
        for old in try table.leaves(under: name) where left.remove(old) == nil {
            orders.append(try table.remove(old.url))
        }
        for leaf in left { orders.append(try table.put(leaf, owner: name)) }
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
        try settle(at: end)
    }

    private func settle(at end: Int64) throws {
        try db.run("INSERT OR REPLACE INTO digest (side, position) VALUES (?, ?)", [side.rawValue, end])
        if side == .origin { try db.run("DELETE FROM digest_mark WHERE number <= ?", [end]) }
    }
}

extension CatalogueStore {
    /// A node of a digest, true to what is stored at this instant.
    ///
    /// One row is read if nothing changed since it was last asked; else what changed is brought into it first, at O(log n)
    /// a change. The first time everything is read.
    ///
    /// - Throws: ``StoreError``; `readOnly` where it is out of date and can't be written.
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

    /// Brings a digest up to date, if it was ever asked for.
    package func updateDigest(from source: some DigestSource) throws {
        let isDue = try read { db in
            let keeper = DigestKeeper(source, db, kinds)
            return try keeper.isBuilt() && !keeper.isCurrent()
        }
        if isDue { try write(isServed: false) { try DigestKeeper(source, $0, kinds).update() } }
    }

    /// Both digests are made again when they are next asked for.
    package func forgetDigests() throws {
        try write(isServed: false) { db in
            try db.run("DELETE FROM digest")
            try DigestKeeper.forgetOrigin(db)
        }
    }

    /// The leaves of a digest under a prefix, however many, as they were when it was last brought up to date.
    package func digestLeaves(_ prefix: DigestPrefix, _ side: DigestSide) throws -> [DigestLeaf] {
        try read { try DigestTable(db: $0, side: side).leaves(under: prefix, limit: .max) }
    }
}
