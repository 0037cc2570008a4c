import GRDB
import GRDBSQLite

extension Database {
    /// From here on SQLite doesn't tell GRDB of each column that a statement reads or writes while it is prepared.
    ///
    /// GRDB gathers that (`sqlite3_set_authorizer`) for those who observe tables, whom a store hasn't, and for what it keeps of
    /// tables' definitions. It takes a third of the time in which a statement is prepared, and most runs, which find little
    /// new, do little else. For a connection whose tables are made: who changes them later asks nothing of GRDB about them.
    /// Transactions, and who observes their ends, need nothing of it; cancelling an access of GRDB's asynchronous kind does, so
    /// that a store is read and written by the synchronous kind alone.
    func leaveColumnsUntold() { sqlite3_set_authorizer(sqliteConnection, nil, nil) }
}
