import GRDB

extension Database {
    /// One transaction that writes; taken back if the body throws, or if it can't be committed.
    ///
    /// As GRDB's own, but the statements around it are prepared once for each connection: a run writes in many small pieces.
    /// A body lets pass what SQLite throws, but for what breaks a constraint: it may have taken the transaction back.
    func transaction<T>(_ body: (Database) throws -> T) throws -> T {
        let kind = configuration.readonly ? "DEFERRED" : "IMMEDIATE"
        try cachedStatement(sql: "BEGIN \(kind) TRANSACTION").execute()
        do {
            let result = try body(self)
            guard isInsideTransaction else { throw StoreError.takenBack }
            try cachedStatement(sql: "COMMIT TRANSACTION").execute()
            return result
        } catch {
            // What went wrong first is what is told. SQLite may have taken it back already.
            if isInsideTransaction { try? rollback() }
            throw error
        }
    }
}
