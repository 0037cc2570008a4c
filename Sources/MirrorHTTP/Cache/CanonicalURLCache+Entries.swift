/// The lean face, for the session: keys and entries, without `URLRequest` and `URLResponse`.
extension CanonicalURLCache {
    /// The key of a URL in any spelling: canonical, and relative to the base.
    package func key(for url: String) -> String {
        CanonicalURL.relative(CanonicalURL.normalise(url), to: base)
    }

    /// The newest stored response that a request with these header fields may choose (`Vary`), fresh or not.
    package func entry(for key: String, _ request: HeaderFields = [:]) -> CacheEntry? {
        entries.entry(for: key, request, withBody: true)
    }

    /// As ``entry(for:_:)``, for who may not need the body: it is there only if it waits to be written.
    package func head(for key: String, _ request: HeaderFields) -> CacheEntry? {
        entries.entry(for: key, request, withBody: false)
    }

    /// The entry whose head that is, with its body; `nil` if it went, or gave way to another, meanwhile.
    package func whole(_ head: CacheEntry, _ request: HeaderFields) -> CacheEntry? {
        if head.hasBody { return head }
        return entry(for: head.key, request).flatMap { $0.isSameRepresentation(as: head) ? $0 : nil }
    }

    /// Stores a response in place of an older one that the same requests would choose. Visible at once.
    package func store(_ entry: CacheEntry) {
        memory.withLock { $0.remove(entry.key) }
        entries.store(entry)
    }

    /// Stores new headers and times of an entry that is there; if it was removed meanwhile, or gave way to another,
    /// nothing happens.
    ///
    /// - Parameter base: The entry as it was found, whose body goes with the new headers.
    package func update(_ entry: CacheEntry, of base: CacheEntry) {
        entries.update(entry, of: base.version)
    }

    /// Removes all responses of a key.
    package func remove(_ key: String) {
        memory.withLock { $0.remove(key) }
        entries.remove(key)
    }

    /// Writes all changes that wait; returns when they are committed. Idempotent.
    public func flush() {
        entries.flush()
    }

    /// Writes all that waits and closes the file; from here on nothing is cached. Else that is done when the last reference
    /// goes, which a task that has ended may hold a moment longer.
    package func close() { entries.close() }

    /// Brings the file within its capacity; otherwise that happens now and then, in the background.
    package func evict() {
        entries.evict()
    }
}
