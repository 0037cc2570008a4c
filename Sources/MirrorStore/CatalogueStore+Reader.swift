import GRDB

/// Access for an app's own SQL, and for GRDB's records and observations.
extension CatalogueStore {
    /// GRDB's read-only interface to the database: for SQL, records and `ValueObservation`.
    ///
    /// ```swift
    /// let expensive = try store.reader.read { db in
    ///     try Row.fetchAll(db, sql: "SELECT id, title, price FROM artwork WHERE ghost = 0 AND price > ?", arguments: [1_000])
    /// }
    /// ```
    ///
    /// - Tables are named like kinds, and columns like the API's fields. `ghost` is 1 for an object that is referred to but
    ///   not stored.
    /// - A long read blocks neither the writer nor other readers.
    /// - Errors are GRDB's `DatabaseError`; after ``close()`` with `SQLITE_MISUSE`. Close the store, not the reader.
    /// - In a mirror that this user may only read, check ``isCurrent`` after a read: if it is `false`, the values that were
    ///   read may be inconsistent.
    ///
    /// GRDB's observations notice what is committed elsewhere when ``notifyObservations()`` is called.
    public var reader: any DatabaseReader { AnyDatabaseReader(pool) }

    /// Makes GRDB's observations on ``reader`` fetch their values again.
    ///
    /// GRDB notices only changes by its own connections. A sync uses other connections, in this or in another program. So call
    /// this method for each element of ``changes(after:every:sleep:)``:
    ///
    /// ```swift
    /// for try await _ in try store.changes() { try store.notifyObservations() }
    /// ```
    ///
    /// The call writes nothing and waits for no other program. It does nothing in a mirror that this user may only read, where
    /// GRDB can't notify observations: start these again instead.
    ///
    /// - Throws: ``StoreError``.
    public func notifyObservations() throws {
        guard !isReadOnly else { return }
        try mapped {
            try pool.writeWithoutTransaction { db in
                // A deferred transaction without writes takes no lock. Observers are notified at its end.
                try db.inTransaction(.deferred) {
                    try db.notifyChanges(in: .fullDatabase)
                    return .commit
                }
            }
        }
    }
}
