import MirrorHTTP
import MirrorStore
import OperationTree
import PeriodicLoops

// A mirror in an app, with the standard transport and log:
//
//     let mirror = try MirrorHome().mirror("moma")
//     let summary = try await mirror.sync(from: "https://example.org", credentials: .token("…"))
//
// The parameters have the same meaning for a sync, a dry run and a watch. An app with its own transport, log or clock uses
// `Sync.init` and `Watch.init`.

extension MirrorFolder {
    /// Makes the mirror, or brings it up to date.
    ///
    /// Idempotent: if the server's data doesn't change, a second sync changes nothing. It can be cancelled at any time: the
    /// stored data stays, and the next sync continues. Requests are sent by libcurl, with the system's proxies. The mirror is
    /// locked during the sync.
    ///
    /// - Parameters:
    ///   - address: the server's address; `/api/v1` is added if it is missing. It is remembered when the server has answered.
    ///     `nil`, the default, for the remembered address; before the first sync, for the one that was passed to
    ///     `mirror login`.
    ///   - isNewOrigin: whether `address` may be on another host than the remembered one. Such a sync deletes nothing.
    ///     Default `false`.
    ///   - credentials: `nil`, the default, for those that `mirror login` stored for the server's host; `Credentials.none` for
    ///     none. Credentials passed here are not stored.
    ///   - options: what is fetched, and how much may be deleted. ``SyncOptions/caFile`` is the absolute path of a file of
    ///     certificate authorities, which is remembered. Without it the remembered file is used, else those that
    ///     `CURL_CA_BUNDLE`, `SSL_CERT_FILE` and `SSL_CERT_DIR` name, else the system's.
    ///   - tree: the tree to walk; `nil`, the default, for the whole tree. ``SyncTree`` shows how an app makes one.
    ///   - hooks: called in this order before the tree, and in reverse order after it.
    ///   - userAgent: the app's `User-Agent`, such as `Gallery/1.2`. Default `mirror`.
    ///   - monitor: observes the progress (``SyncMonitor/progress(every:)``), and can pause the sync.
    /// - Returns: the summary, also of a run that failed, such as with credentials that other users can read.
    /// - Throws: ``StoreError`` or ``SyncError`` if the sync could not begin: another run has the lock, no server is known, or
    ///   `address` is on another host than the remembered one.
    @discardableResult
    public func sync(
        from address: String? = nil, isNewOrigin: Bool = false, credentials: Credentials? = nil,
        options: SyncOptions = SyncOptions(), tree: Tree<String, SyncEnvironment>? = nil,
        hooks: [SyncHook] = [], userAgent: String = "mirror", monitor: SyncMonitor = SyncMonitor()
    ) async throws -> SyncSummary {
        // The progress sequences must end even if the sync could not begin.
        defer { monitor.end() }
        let access = try access(address, isNewOrigin, credentials, options, userAgent)
        return try await Sync(access, tree: tree, hooks: hooks).run(monitor)
    }

    /// Predicts what ``sync(from:isNewOrigin:credentials:options:tree:hooks:userAgent:monitor:)`` would do: a dry run.
    ///
    /// It writes neither to the mirror nor to the server, and takes no lock. The parameters are those of a sync. Hooks are not
    /// called.
    ///
    /// - Returns: a summary with ``SyncSummary/plan``; without a plan if the dry run failed.
    /// - Throws: ``StoreError`` or ``SyncError`` if it could not begin, as a sync does.
    public func plan(
        from address: String? = nil, isNewOrigin: Bool = false, credentials: Credentials? = nil,
        options: SyncOptions = SyncOptions(), tree: Tree<String, SyncEnvironment>? = nil,
        userAgent: String = "mirror", monitor: SyncMonitor = SyncMonitor()
    ) async throws -> SyncSummary {
        defer { monitor.end() }
        let access = try access(address, isNewOrigin, credentials, options, userAgent)
        return try await Sync(access, tree: tree).plan(monitor)
    }

    /// A watch of the mirror.
    ///
    /// ``Watch/run(_:)`` makes the mirror, or brings it up to date, and then keeps it current until its task is cancelled. The
    /// other parameters are those of a sync.
    ///
    /// - Parameters:
    ///   - interval: the time between two requests of the feed of events; without events, the shortest time between two syncs.
    ///     Default 30 s, at least 1 s.
    ///   - tree: the tree that its syncs walk. With a part of the standard tree, events are not followed: the watch syncs at
    ///     intervals.
    ///   - hooks: called before and after each of its syncs.
    ///   - items: an app's polling items, run at their intervals unless the watch is stopped or paused.
    ///   - loops: an app's loops, run in the watch's queue.
    /// - Throws: ``SyncError`` with code `secret` if `address` is `nil` before the first sync, and the file of `mirror login` is
    ///   damaged, or readable by other users.
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
    /// A sync with the standard transport and interceptors.
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
    /// A watch with the standard transport and interceptors.
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
