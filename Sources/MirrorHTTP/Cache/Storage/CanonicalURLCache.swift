// The cache of one origin, from the wire to the disk.
//
// `CanonicalURL` gives a URL its one spelling, relative to the origin's base: the key. `CachePolicy` knows RFC 9111 as
// pure functions over `CacheRequest`, `CacheEntry` and `CacheResponse`; the session asks it before and after each
// request. `CanonicalURLCache` keeps the entries: in `EntryStore`, which lets changes wait in an `EntryBatch` and
// writes them to an `EntryFile`, an indexed SQLite file. It is a Foundation `URLCache`, and beside that has a lean
// face for the session, without the cost of `URLRequest` and `URLResponse`.
//
// Deleting the file costs requests and never data; trouble with it is reported once and never thrown.

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URLCache` in one SQLite file, keyed by canonical URL, for the responses of one origin.
///
/// All of `URLCache`'s members work, from any number of tasks and threads at once. It stores what it is given and gives
/// it back whether it is fresh or not: freshness, validation and invalidation are the session's, by RFC 9111. Foundation's
/// own `URLSession` needs no cache beside it: give it `urlCache = nil`.
///
/// Entries are relative to the origin's base, so the same server on another port still hits. Changes are visible at
/// once and reach the file in groups; call ``flush()`` before committing what depends on them.
///
/// The file may be deleted at any time. One that is damaged, foreign or from another version is replaced by an empty one.
///
/// `@unchecked Sendable` because `URLCache` is not declared so everywhere: what is added here is immutable or guarded
/// by a `Mutex`, and nothing of the superclass's own state is used.
public final class CanonicalURLCache: URLCache, @unchecked Sendable {
    /// Canonical; entries are relative to it.
    public let base: String
    let entries: EntryStore
    let memory: Mutex<MemoryEntries>
    let now: @Sendable () -> Double

    /// Opens the cache, or starts an empty one. Never fails: without a usable file nothing is cached.
    ///
    /// - Parameters:
    ///   - file: Where the entries are; made, with its folder, if it isn't there. No other process may have it open.
    ///   - base: The origin's base, such as `https://example.org/api/v1`.
    ///   - memoryCapacity: Bytes of changes that may wait to be written, and of responses that may not go to the
    ///     disk. Default 4 MiB.
    ///   - diskCapacity: Bytes of the file. Default 512 MiB. An entry larger than a twentieth isn't stored.
    ///   - now: The clock, in seconds since 1970. Default: the system's.
    ///   - problem: Called at most once when the file is replaced, and once when the caching ends.
    public init(
        file: URL, origin base: String, memoryCapacity: Int = 4 << 20, diskCapacity: Int = 512 << 20,
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 },
        problem: @escaping @Sendable (CacheProblem) -> Void = { _ in }
    ) {
        self.base = CanonicalURL.normalise(base)
        self.now = now
        entries = EntryStore(file: file, diskCapacity: max(0, diskCapacity), now: now, problem: problem)
        memory = Mutex(MemoryEntries(capacity: max(0, memoryCapacity)))
        // The superclass gets nothing to keep. On Linux it makes its folder at once: it is given one that is there.
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

    public override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let (url, key, headers) = parts(of: request) else { return nil }
        let entry =
            memory.withLock { $0.entry(for: key, headers) }
            ?? entries.entry(for: key, headers)
        return entry.flatMap { Self.response($0, url: url) }
    }

    /// Only answers to `GET` that are `HTTPURLResponse`s are stored. `Set-Cookie` is left out and `userInfo` not kept;
    /// a response with `Vary: *` isn't stored, as no request could choose it, nor is one that is only part of an answer
    /// (206, 304).
    public override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
        guard cachedResponse.storagePolicy != .notAllowed, let (_, key, headers) = parts(of: request),
            let entry = entry(cachedResponse, key: key, request: headers)
        else { return }
        if cachedResponse.storagePolicy == .allowedInMemoryOnly {
            // Beside other variants that are only in memory.
            entries.remove(key)
            memory.withLock { $0.store(entry) }
        } else {
            store(entry)
        }
    }

    public override func removeCachedResponse(for request: URLRequest) {
        guard let (_, key, _) = parts(of: request) else { return }
        remove(key)
    }

    public override func removeAllCachedResponses() {
        memory.withLock { $0.removeAll { _ in true } }
        entries.removeAll()
    }

    /// Removes the responses that came at that time or later.
    public override func removeCachedResponses(since date: Date) {
        let time = date.timeIntervalSince1970
        memory.withLock { $0.removeAll { $0.responseTime >= time } }
        entries.removeAll(since: time)
    }

    /// Bytes that may wait in memory: for the disk, and apart from that for good where the disk isn't allowed.
    public override var memoryCapacity: Int {
        get { memory.withLock { $0.capacity } }
        set {
            memory.withLock { $0.capacity = max(0, newValue) }
            entries.setMemoryCapacity(newValue)
            entries.flush()
        }
    }

    /// Bytes that the file may take. Set lower, the entries that were not used for longest go before this returns.
    public override var diskCapacity: Int {
        get { entries.diskCapacity }
        set { entries.diskCapacity = newValue }
    }

    public override var currentMemoryUsage: Int {
        memory.withLock { $0.usage } + entries.memoryUsage
    }

    /// Bytes of the file in use, without the changes that wait.
    public override var currentDiskUsage: Int { entries.diskUsage }

    // The task-based three: as for the task's current request.

    public override func storeCachedResponse(
        _ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask
    ) {
        guard let request = dataTask.currentRequest ?? dataTask.originalRequest else { return }
        storeCachedResponse(cachedResponse, for: request)
    }

    /// Calls the handler before it returns.
    public override func getCachedResponse(
        for dataTask: URLSessionDataTask, completionHandler: @escaping (CachedURLResponse?) -> Void
    ) {
        completionHandler(
            (dataTask.currentRequest ?? dataTask.originalRequest).flatMap { cachedResponse(for: $0) })
    }

    public override func removeCachedResponse(for dataTask: URLSessionDataTask) {
        guard let request = dataTask.currentRequest ?? dataTask.originalRequest else { return }
        removeCachedResponse(for: request)
    }
}

/// Why a cache is out of order, or had to start afresh. Never thrown at a session: without its cache it only asks more.
public struct CacheProblem: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The file that was there couldn't be used and was replaced by an empty one; the cache works.
        case replaced
        /// The file can't be made or opened; nothing is cached until it is opened again.
        case cannotOpen
        /// The file was deleted, or can't be read or written; nothing is cached until it is opened again.
        case failed
        /// The file belongs to another program. Only as a cause of `replaced`.
        case foreignFile
        /// The file was written by another version of this program. Only as a cause of `replaced`.
        case otherVersion
    }

    public let code: Code
    /// One sentence for a person, with the remedy if there is one.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
