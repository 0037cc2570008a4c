import CatalogueSources

extension SourceDescription {
    /// The description with another base, such as that of a test server or a proxy.
    ///
    /// - Throws: ``SyncError`` if it isn't a web address, or has a query, a fragment, braces, or a name or password.
    package func moved(to base: String) throws(SyncError) -> SourceDescription {
        var moved = self, text = try ServerAddress.web(base).text
        while text.hasSuffix("/") { text.removeLast() }
        moved.base = text
        return moved
    }
}
