import MirrorHTTP
import MirrorStore
import OperationTree
import PeriodicLoops

// A mirror in an app, in the usual way:
//
//     let mirror = try MirrorHome().mirror("moma")
//     let summary = try await mirror.sync(from: "https://example.org", credentials: .token("…"))
//
// What the parameters say is the same for a sync, a dry run and a watch. What has a transport, log or clock of its own is made
// by `Sync.init` and `Watch.init`.

extension MirrorFolder {
    /// Makes the mirror, or brings it up to date.
    ///
    /// Idempotent: with a server at rest a second sync changes nothing. It may be cancelled at any time: what was stored stays,
    /// and the next sync goes on from there. Requests are sent by libcurl, with the system's proxies; the mirror is locked
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - address: the server's; `/api/v1` is added where it is missing. It is remembered once the server has answered. `nil`,
    ///     the default, for the remembered one, or before the first sync for the one that was given to `mirror login`.
    ///   - isNewOrigin: whether `address` may be on another host than the remembered one; nothing is removed that time.
    ///     Default `false`.
    ///   - credentials: `nil`, the default, for what `mirror login` stored for the server's host, as the command does;
    ///     `Credentials.none` for none. What is given here is stored nowhere.
    ///   - options: what is fetched, and how much may be removed; ``SyncOptions/caFile`` names certificate authorities, by an
    ///     absolute path, which is remembered. Without, those that are remembered, else those that `CURL_CA_BUNDLE`,
    ///     `SSL_CERT_FILE` and `SSL_CERT_DIR` name, else the system's.
    ///   - tree: what is walked; `nil`, the default, for the whole tree. ``SyncTree`` says how an app makes one.
    ///   - hooks: called in this order before the tree, and in the opposite order after it.
    ///   - userAgent: what the app calls itself, such as `Gallery/1.2`. Default `mirror`.
    ///   - monitor: shows the progress (``SyncMonitor/progress(every:)``), and can pause the sync.
    /// - Returns: how it ended; also after a failure of the run itself, such as credentials that others can read.
    /// - Throws: ``StoreError`` or ``SyncError`` if it could not begin: another run has the lock, no server is known, or another
    ///   one than before was named.
    @discardableResult
    public func sync(
        from address: String? = nil, isNewOrigin: Bool = false, credentials: Credentials? = nil,
        options: SyncOptions = SyncOptions(), tree: Tree<String, SyncEnvironment>? = nil,
        hooks: [SyncHook] = [], userAgent: String = "mirror", monitor: SyncMonitor = SyncMonitor()
    ) async throws -> SyncSummary {
        // A monitor's progress ends with the run, also with one that could not begin.
        defer { monitor.end() }
        let access = try access(address, isNewOrigin, credentials, options, userAgent)
        return try await Sync(access, tree: tree, hooks: hooks).run(monitor)
    }

    /// Finds out what ``sync(from:isNewOrigin:credentials:options:tree:hooks:userAgent:monitor:)`` would do, writing nothing: not
    /// to the mirror, and not to the server. The parameters are those of a sync; hooks aren't called.
    ///
    /// - Returns: a summary with ``SyncSummary/plan``; after a failure of the run itself without one.
    /// - Throws: as a sync does; it takes no lock.
    public func plan(
        from address: String? = nil, isNewOrigin: Bool = false, credentials: Credentials? = nil,
        options: SyncOptions = SyncOptions(), tree: Tree<String, SyncEnvironment>? = nil,
        userAgent: String = "mirror", monitor: SyncMonitor = SyncMonitor()
    ) async throws -> SyncSummary {
        defer { monitor.end() }
        let access = try access(address, isNewOrigin, credentials, options, userAgent)
        return try await Sync(access, tree: tree).plan(monitor)
    }

    /// A watch of the mirror: ``Watch/run(_:)`` makes it, or brings it up to date, and then keeps it current until its task is
    /// cancelled. The other parameters are those of a sync.
    ///
    /// - Parameters:
    ///   - interval: from one request of a feed of events to the next; without events, the least time from one sync to the next.
    ///     Default 30 s, at least 1 s.
    ///   - tree: what its syncs walk. With one that leaves something out events aren't followed: it syncs at intervals.
    ///   - hooks: called around each of its syncs.
    ///   - items: an app's own, run at their intervals as long as the watch is neither stopped nor paused.
    ///   - loops: an app's own, run in the queue of the watch's.
    /// - Throws: ``SyncError`` with code `secret` if `address` is `nil` before the first sync, and the file of `mirror login` can be
    ///   read by others, or is damaged.
    public func watch(
        from address: String? = nil, isNewOrigin: Bool = false, credentials: Credentials? = nil,
        options: SyncOptions = SyncOptions(), every interval: Duration = .seconds(30),
        tree: Tree<String, SyncEnvironment>? = nil, hooks: [SyncHook] = [], items: [any Pollable] = [],
        loops: [any EventsLoop] = [], userAgent: String = "mirror"
    ) throws -> Watch {
        let access = try access(address, isNewOrigin, credentials, options, userAgent)
        return Watch(access, every: interval, tree: tree, hooks: hooks, items: items, loops: loops)
    }

    private func access(
        _ address: String?, _ isNewOrigin: Bool, _ credentials: Credentials?, _ options: SyncOptions,
        _ userAgent: String
    ) throws -> ServerAccess {
        ServerAccess(
            folder: self, address: try address ?? CredentialsFile.addressOfFirstSync(self),
            isNewOrigin: isNewOrigin, credentials: credentials, options: options, userAgent: userAgent)
    }
}

extension Sync {
    /// A sync of a mirror whose server is reached in the usual way.
    init(
        _ access: ServerAccess, tree: Tree<String, SyncEnvironment>? = nil, hooks: [SyncHook] = []
    ) {
        self.init(
            partner: access.folder.name, folder: access.folder, base: access.address,
            isNewOrigin: access.isNewOrigin, options: access.options, tree: tree, hooks: hooks,
            makeSession: access.session)
    }
}

extension Watch {
    /// A watch of a mirror whose server is reached in the usual way.
    convenience init(
        _ access: ServerAccess, every interval: Duration, tree: Tree<String, SyncEnvironment>? = nil,
        hooks: [SyncHook] = [], items: [any Pollable] = [], loops: [any EventsLoop] = []
    ) {
        self.init(
            partner: access.folder.name, folder: access.folder, base: access.address,
            isNewOrigin: access.isNewOrigin, options: access.options, interval: interval, tree: tree,
            hooks: hooks, items: items, loops: loops, makeSession: access.session)
    }
}
