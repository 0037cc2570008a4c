import Catalogue

extension Kind {
    /// SQL: the slug that leads to an object, for links to its page; `NULL` if only its id does. One look-up by id.
    ///
    /// Everything that gives pages a slug uses this expression, so that links and redirections agree. It is the opposite of
    /// finding an object by an id or slug (``CatalogueStore/findAlone(_:_:)``):
    /// - An exact id wins. So a slug that is another object's id leads to that object, also if that is only referred to.
    /// - Only one of several objects that claim a slug has it in its row (``Rivals``). While a snapshot is loaded, that isn't
    ///   decided yet, so ids are used.
    ///
    /// - Parameter row: the alias of the object's row.
    func pageSlug(_ row: String) -> String {
        guard hasSlug else { return "NULL" }
        let isFound = isEdited ? " AND named.deleted = 0" : ""
        let isSettled =
            DeferredIndexes.kinds.contains(self)
            ? "NOT EXISTS (SELECT 1 FROM meta WHERE key = '\(CatalogueStore.MetaKey.loading.rawValue)') AND "
            : ""
        return """
            CASE WHEN \(row).slug > '' AND \(isSettled)NOT EXISTS (
              SELECT 1 FROM "\(table)" named WHERE named.id = \(row).slug\(isFound)) THEN \(row).slug END
            """
    }
}
