import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import OperationTree
import PeriodicLoops
import Synchronization
import Testing

@testable import MirrorSync

/// A watch of a ``FakePartner`` in virtual time. The watch works only while a method waits or advances the time.
final class WatchScenario: Sendable {
    let partner: FakePartner
    let mirror: TestMirror
    let time = VirtualClock()
    let watch: Watch
    private let events = Mutex<[WatchEvent]>([])
    private let task = Mutex<Task<(any Error)?, Never>?>(nil)

    static let start = Date(timeIntervalSince1970: 1_795_000_000)

    init(
        _ partner: FakePartner = FakePartner.withEvents(), mirror: TestMirror? = nil,
        interval: Duration = .seconds(30), tree: Tree<String, SyncEnvironment>? = nil,
        hooks: [SyncHook] = [], items: [any Pollable] = [], loops: [any EventsLoop] = [],
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) throws {
        self.partner = partner
        let mirror = try mirror ?? TestMirror(partner)
        self.mirror = mirror
        var options = SyncOptions()
        options.synchronous = true
        change(&options)
        let time = time
        watch = try Watch(
            partner: "p", folder: mirror.mirror, base: "http://origin.test/api/v1", options: options,
            interval: interval, tree: tree, hooks: hooks,
            now: { Self.start.addingTimeInterval(time.elapsed / .seconds(1)) },
            clock: time.loopClock, executor: time.executor, random: { 1 }, items: items, loops: loops
        ) { base, cache in
            try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
        }
    }

    /// Ends the watch, which would otherwise keep its files open until all tests have ended.
    deinit {
        guard let running = task.withLock({ $0 }) else { return }
        running.cancel()
        Task { [time] in await time.value(of: running) }
    }

    /// Starts the watch, and waits for its first sync and the first turns of its loops.
    func begin() {
        let observer = WatchObserver(handler: { [weak self] event in
            self?.events.withLock { $0.append(event) }
        })
        let watch = watch
        let running = time.spawn { () -> (any Error)? in
            do {
                try await watch.run(observer)
                return nil
            } catch {
                return error
            }
        }
        task.withLock { $0 = running }
        time.settle()
    }

    /// Cancels the watch, and waits for its end.
    @discardableResult
    func end() async -> (any Error)? {
        guard let running = task.withLock({ $0 }) else { return nil }
        running.cancel()
        return await time.value(of: running)
    }

    /// Waits for the watch to end without being cancelled.
    func ended() async -> (any Error)? {
        guard let running = task.withLock({ $0 }) else { return nil }
        return await time.value(of: running)
    }

    func settle() { time.settle() }

    /// Waits for a condition that depends on real files, which virtual time doesn't cover.
    func settle(until condition: () throws -> Bool) async rethrows -> Bool {
        try await time.settle(until: condition)
    }

    /// Whether the watch waits before it tries its first sync again.
    var isWaiting: Bool { if case .retrying = watch.status.phase { true } else { false } }

    /// Advances the time.
    func advance(by duration: Duration) { time.advance(by: duration) }
    /// Advances the time by one interval of the watch.
    func tick() { time.advance(by: watch.interval) }

    func change(_ change: (inout sending FakePartner.State) -> Void) { partner.change(change) }

    // MARK: - Reports and requests

    /// Returns what the watch reported since the last call.
    func takeEvents() -> [WatchEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    var pages: [WatchedPage] {
        events.withLock { $0 }.compactMap { if case .pageApplied(let page) = $0 { page } else { nil } }
    }

    var problems: [Problem] {
        events.withLock { $0 }.compactMap { if case .problem(let problem) = $0 { problem } else { nil } }
    }

    var syncs: [WatchSync] {
        events.withLock { $0 }.compactMap { if case .syncBegan(let sync) = $0 { sync } else { nil } }
    }

    /// Returns the requests since the last call, without those of feeds.
    func takeOtherRequests() -> [String] { partner.takeRequests().filter { !$0.contains("/events/") } }

    func title(_ id: String) throws -> String? {
        try mirror.read { try $0.find(.artwork, id)?.summary.name }
    }

    func loop(_ id: String = LoopRecord.coreID) throws -> LoopRecord? { try mirror.read { try $0.loop(id) } }

    func cursor(_ id: String = LoopRecord.coreID) throws -> String? { try loop(id)?.cursor }

    func runs(_ command: String = "events") throws -> Int {
        try mirror.read { try $0.runs(limit: 10_000).count { $0.command == command } }
    }
}

extension WatchScenario {
    /// The context for loops that a test calls directly, after the watch has ended.
    func context() throws -> FeedContext {
        let store = try CatalogueStore.open(at: mirror.mirror.database, now: { Self.start })
        let session = try InterceptableSession(
            base: "http://origin.test/api/v1", transport: partner.transport())
        return FeedContext(
            watch.setting, store: store, session: session, router: Router(partner: "p"),
            extensions: ["validators", "since", "events"])
    }

    /// Renames an album locally while the watch runs, as the command line does.
    func rename(_ album: String, to name: String) throws {
        let now = Self.start.addingTimeInterval(time.elapsed / .seconds(1))
        let store = try CatalogueStore.open(at: mirror.mirror.database, now: { now })
        defer { try? store.close() }
        #expect(try AlbumEditor(store).change(album, by: AlbumChange(name: name)))
    }
}

extension FakePartner.State {
    /// Adds or replaces a show that is running between two days.
    mutating func addRunningShow(
        _ id: String, until end: String = "2026-12-24", from start: String = "2026-11-01"
    ) {
        show(id, lists["/partner/p/show/\(id)/artworks"] ?? [])
        put(
            .show, id,
            #"{"id":"\#(id)","name":"Show \#(id)","start_at":"\#(start)","end_at":"\#(end)","status":"running"}"#
        )
    }
}

extension FakePartner {
    /// A server with the extensions `validators`, `since`, `status` and `events`, two artworks, an artist and a show.
    static func withEvents(_ change: (inout sending State) -> Void = { _ in }) -> FakePartner {
        FakePartner { state in
            state.extensions = ["validators", "since", "status", "events"]
            state.hasListETags = true
            state.artist("x")
            state.artwork("a", artist: "x")
            state.artwork("b")
            state.show("s", ["a", "b"])
            change(&state)
        }
    }
}
