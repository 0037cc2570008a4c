extension CatalogueStore {
    /// A node of a digest, true to what is stored at this instant.
    ///
    /// One row is read if nothing changed since it was last asked; else what changed is brought into it first, at O(log n)
    /// a change. The first time everything is read.
    ///
    /// - Throws: ``StoreError``; `readOnly` where it is out of date and can't be written.
    package func digest(_ prefix: DigestPrefix, from source: some DigestSource) throws -> DigestNode {
        let current = try read { db in
            let keeper = DigestKeeper(source, db)
            return try keeper.isCurrent() ? try keeper.node(prefix) : nil
        }
        if let current { return current }
        return try write(isServed: false) { db in
            let keeper = DigestKeeper(source, db)
            try keeper.update()
            return try keeper.node(prefix)
        }
    }

    /// Brings a digest up to date, if it was ever asked for.
    package func updateDigest(from source: some DigestSource) throws {
        let isDue = try read { db in
            let keeper = DigestKeeper(source, db)
            return try keeper.isBuilt() && !keeper.isCurrent()
        }
        if isDue { try write(isServed: false) { try DigestKeeper(source, $0).update() } }
    }

    /// Both digests are made anew when they are next asked for.
    package func forgetDigests() throws {
        try write(isServed: false) { db in
            try db.execute(sql: "DELETE FROM digest")
            try DigestKeeper.forgetOrigin(db)
        }
    }

    /// The leaves of a digest under a prefix, however many, as they were when it was last brought up to date.
    package func digestLeaves(_ prefix: DigestPrefix, _ side: DigestSide) throws -> [DigestLeaf] {
        try read { try DigestBook(db: $0, side: side).leaves(under: prefix, limit: .max) }
    }
}
