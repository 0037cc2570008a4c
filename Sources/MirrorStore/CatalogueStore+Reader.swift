import GRDB

/// An app's own SQL, and GRDB's records and observations, on a mirror's database.
extension CatalogueStore {
    /// GRDB's interface to the database, for reading alone: SQL, records and `ValueObservation` of an app's own.
    ///
    /// ```swift
    /// let expensive = try store.reader.read { db in
    ///     try Row.fetchAll(db, sql: "SELECT id, title, price FROM artwork WHERE ghost = 0 AND price > ?", arguments: [1_000])
    /// }
    /// ```
    ///
    /// Tables are named as kinds and columns as the API's fields; `ghost` is 1 in the row of an object that is only referred to. A
    /// read that takes long holds up nobody. What was thrown is GRDB's `DatabaseError`: after ``close()`` with
    /// `SQLITE_MISUSE`. Close the store, not the reader. Where ``isCurrent`` may become `false`, what was read counts if it
    /// still is `true` afterwards.
    ///
    /// GRDB's observations notice what is committed elsewhere when ``notifyObservations()`` is called.
    public var reader: any DatabaseReader { AnyDatabaseReader(pool) }

    /// Has GRDB's observations on ``reader`` fetch their values again.
    ///
    /// GRDB notices what its own connections change, but not what a sync commits, which has connections of its own, here or in
    /// another program. Call this for each element of ``changes(after:every:sleep:)``:
    ///
    /// ```swift
    /// for try await _ in try store.changes() { try store.notifyObservations() }
    /// ```
    ///
    /// It changes nothing and waits for no other program. In a mirror that this user may only read GRDB has no way to notify its
    /// observations, and nothing happens: start them again instead.
    public func notifyObservations() throws {
        guard !isReadOnly else { return }
        try mapped {
            try pool.writeWithoutTransaction { db in
                // A deferred transaction that writes nothing takes no lock; its end is what observers wait for.
                try db.inTransaction(.deferred) {
                    try db.notifyChanges(in: .fullDatabase)
                    return .commit
                }
            }
        }
    }
}
