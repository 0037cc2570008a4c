/// The tables of what the pages show of the change log, which version 13 added.
extension Schema {
    /// Version 13: what visitors see of each change, and the numbers of changes (``ShownHistory``).
    ///
    /// - `shown_change`: the changes that visitors may see. `action` is a ``ShownAction``.
    /// - `change_tally`: the numbers of objects that each run created, changed and deleted on a day, by kind: those that
    ///   visitors see, and all. Run 0 has the changes outside runs.
    /// - The index of deletions finds a deleted object by its slug.
    /// - The index of complete runs finds the last one after many failed ones.
    /// - The index of runs by their start has what the plot of the history needs.
    static let shownHistory = [
        "CREATE TABLE shown_change (seq INTEGER PRIMARY KEY, run INTEGER, action INTEGER NOT NULL)",
        "CREATE INDEX shown_change_of_run ON shown_change(run)",
        """
        CREATE TABLE change_tally (
          run INTEGER NOT NULL, day TEXT NOT NULL, kind TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL,
          deleted INTEGER NOT NULL, all_created INTEGER NOT NULL, all_updated INTEGER NOT NULL, all_deleted INTEGER NOT NULL,
          PRIMARY KEY (run, day, kind)
        ) WITHOUT ROWID
        """,
        """
        CREATE INDEX change_tally_of_day ON change_tally(
          day, created, updated, deleted, all_created, all_updated, all_deleted)
        """,
        "CREATE INDEX change_deleted_slug ON change(kind, \(CatalogueStore.deletedSlug)) WHERE action = 'delete'",
        "CREATE INDEX sync_log_complete ON sync_log(run) WHERE outcome = 'complete'",
        "CREATE INDEX sync_log_of_days ON sync_log(started_at, outcome) WHERE \(CatalogueStore.isUpdateOfAllKinds)",
    ]
}
