import GRDB

extension Database {
    /// One transaction that writes; taken back if the body throws, or if it can't be committed.
    ///
    /// As GRDB's own, but the statements around it are prepared once for each connection: a run writes in many small pieces.
    func transaction<T>(_ body: (Database) throws -> T) throws -> T {
        try cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
        do {
            let result = try body(self)
            try cachedStatement(sql: "COMMIT TRANSACTION").execute()
            return result
        } catch {
            // What went wrong first is what is told. SQLite may have taken it back already.
            if isInsideTransaction { try? rollback() }
            throw error
        }
    }
}
