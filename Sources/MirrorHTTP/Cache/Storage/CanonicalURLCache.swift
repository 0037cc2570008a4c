// The HTTP cache of one origin.
//
// - `CanonicalURL` computes the key: the canonical URL, relative to the origin's base.
// - `CachePolicy` implements RFC 9111 as pure functions over `CacheRequest`, `CacheEntry` and `CacheResponse`. The
//   session calls it before and after each request.
// - `CanonicalURLCache` is a Foundation `URLCache`. It also has an interface for the session that avoids the cost of
//   `URLRequest` and `URLResponse`.
// - `EntryStore` collects changes in an `EntryBatch` and writes them to an `EntryFile`, an indexed SQLite file.
//
// Deleting the file costs requests, never data. A problem with the file is reported once and never thrown.

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URLCache` for the responses of one origin, keyed by canonical URL and stored in one SQLite file.
///
/// All members of `URLCache` work, from several tasks and threads at once. The cache returns stored responses whether
/// they are fresh or stale: freshness, validation and invalidation are the session's task (RFC 9111). A `URLSession`
/// under ``URLSessionTransport`` needs no cache of its own; set its `urlCache` to `nil`.
///
/// Keys are relative to the origin's base, so the entries stay valid when the server moves to another port. Changes are
/// visible at once and are written to the file in batches. Call ``flush()`` before you commit data that depends on them.
///
/// The file may be deleted at any time. A damaged file, a file of another program, or a file of another version is
/// replaced by an empty one.
///
/// `@unchecked Sendable` because `URLCache` isn't declared `Sendable` on every platform. The state of this class is
/// immutable or guarded by a `Mutex`, and the superclass's own state isn't used.
public final class CanonicalURLCache: URLCache, @unchecked Sendable {
    /// The origin's base as a canonical URL; keys are relative to it.
    public let base: String
    let entries: EntryStore
    let memory: Mutex<MemoryEntries>
    let now: @Sendable () -> Double

    /// Opens the cache's file, or creates it. Never fails: without a usable file nothing is cached.
    ///
    /// - Parameters:
    ///   - file: The SQLite file. It is created, with its folder, if it doesn't exist. No other process may have it open.
    ///   - base: The origin's base, such as `https://example.org/api/v1`.
    ///   - memoryCapacity: The maximum size of pending changes, and of responses that may only be stored in memory, in
    ///     bytes each. Default 4 MiB.
    ///   - diskCapacity: The maximum size of the file, in bytes. Default 512 MiB. An entry larger than 1/20 of it isn't
    ///     stored.
    ///   - now: The clock, in seconds since 1970. Default: the system's.
    ///   - problem: Called at most once when the file is replaced, and at most once when caching stops.
    public init(
        file: URL, origin base: String, memoryCapacity: Int = 4 << 20, diskCapacity: Int = 512 << 20,
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 },
        problem: @escaping @Sendable (CacheProblem) -> Void = { _ in }
    ) {
        self.base = CanonicalURL.normalise(base)
        self.now = now
        entries = EntryStore(file: file, diskCapacity: max(0, diskCapacity), now: now, problem: problem)
        memory = Mutex(MemoryEntries(capacity: max(0, memoryCapacity)))
        // The superclass stores nothing. On Linux its initialiser creates a folder, so it gets an existing one.
        #if canImport(FoundationNetworking)
            super.init(
                memoryCapacity: 0, diskCapacity: 0, diskPath: file.deletingLastPathComponent().path)
        #else
            super.init(memoryCapacity: 0, diskCapacity: 0, directory: nil)
        #endif
        entries.setMemoryCapacity(memoryCapacity)
    }

    deinit {
        entries.flush()
    }

    // MARK: URLCache

    /// The newest stored response for a `GET` request, fresh or stale; `nil` if there is none.
    public override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let (url, key, headers) = parts(of: request) else { return nil }
        let entry =
            memory.withLock { $0.entry(for: key, headers) }
            ?? entries.entry(for: key, headers)
        return entry.flatMap { Self.response($0, url: url) }
    }

    /// Stores an `HTTPURLResponse` to a `GET` request, without `Set-Cookie` and `userInfo`.
    ///
    /// Not stored are responses with `Vary: *`, which no request matches, and incomplete ones (206 and 304).
    public override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
        guard cachedResponse.storagePolicy != .notAllowed, let (_, key, headers) = parts(of: request),
            let entry = entry(cachedResponse, key: key, request: headers)
        else { return }
        if cachedResponse.storagePolicy == .allowedInMemoryOnly {
            // Other variants that are only in memory are kept.
            entries.remove(key)
            memory.withLock { $0.store(entry) }
        } else {
            store(entry)
        }
    }

    /// Removes all stored responses for a `GET` request's URL.
    public override func removeCachedResponse(for request: URLRequest) {
        guard let (_, key, _) = parts(of: request) else { return }
        remove(key)
    }

    /// Removes all responses, in memory and in the file.
    public override func removeAllCachedResponses() {
        memory.withLock { $0.removeAll { _ in true } }
        entries.removeAll()
    }

    /// Removes the responses that arrived at `date` or later.
    public override func removeCachedResponses(since date: Date) {
        let time = date.timeIntervalSince1970
        memory.withLock { $0.removeAll { $0.responseTime >= time } }
        entries.removeAll(since: time)
    }

    /// The maximum size in bytes of pending changes, and of responses that may only be stored in memory.
    public override var memoryCapacity: Int {
        get { memory.withLock { $0.capacity } }
        set {
            memory.withLock { $0.capacity = max(0, newValue) }
            entries.setMemoryCapacity(newValue)
            entries.flush()
        }
    }

    /// The maximum size of the file, in bytes.
    ///
    /// Setting a lower value deletes the least recently used entries before the setter returns.
    public override var diskCapacity: Int {
        get { entries.diskCapacity }
        set { entries.diskCapacity = newValue }
    }

    /// The size of pending changes and of responses that are only in memory, in bytes.
    public override var currentMemoryUsage: Int {
        memory.withLock { $0.usage } + entries.memoryUsage
    }

    /// The used size of the file in bytes, without pending changes.
    public override var currentDiskUsage: Int { entries.diskUsage }

    // MARK: URLCache, by task

    /// Stores a response as for the task's current request.
    public override func storeCachedResponse(
        _ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask
    ) {
        guard let request = dataTask.currentRequest ?? dataTask.originalRequest else { return }
        storeCachedResponse(cachedResponse, for: request)
    }

    /// Looks up a response as for the task's current request, and calls the handler before it returns.
    public override func getCachedResponse(
        for dataTask: URLSessionDataTask, completionHandler: @escaping (CachedURLResponse?) -> Void
    ) {
        completionHandler(
            (dataTask.currentRequest ?? dataTask.originalRequest).flatMap { cachedResponse(for: $0) })
    }

    /// Removes the responses as for the task's current request.
    public override func removeCachedResponse(for dataTask: URLSessionDataTask) {
        guard let request = dataTask.currentRequest ?? dataTask.originalRequest else { return }
        removeCachedResponse(for: request)
    }
}

/// A problem with the cache's file. It is reported, never thrown by a session.
///
/// A session without a cache only sends more requests.
public struct CacheProblem: Error, Sendable, CustomStringConvertible {
    /// What happened to the file.
    public enum Code: Sendable, Hashable {
        /// The existing file couldn't be used and was replaced by an empty one; the cache works.
        case replaced
        /// The file can't be created or opened; nothing is cached until it is opened again.
        case cannotOpen
        /// The file was deleted, or can't be read or written; nothing is cached until it is opened again.
        case failed
        /// The file belongs to another program. Only a reason for `replaced`.
        case foreignFile
        /// The file was written by another version of this program. Only a reason for `replaced`.
        case otherVersion
    }

    /// What happened to the file.
    public let code: Code
    /// One sentence for people, with the remedy if there is one.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
