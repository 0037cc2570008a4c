import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import OperationTree

@testable import MirrorSync

/// A mirror in a temporary folder that syncs from a ``FakePartner`` with one worker.
struct TestMirror {
    let home: TemporaryHome
    let partner: FakePartner

    init(_ partner: FakePartner) throws {
        home = try TemporaryHome()
        self.partner = partner
    }

    var mirror: MirrorFolder {
        get throws { try home.mirror("p") }
    }

    /// The home's folder, for files that a test stores beside the mirror.
    var folder: TemporaryFolder { home.folder }

    @discardableResult
    func sync(
        base: String? = "http://origin.test/api/v1", isNewOrigin: Bool = false,
        tree: Tree<String, SyncEnvironment>? = nil, hooks: [SyncHook] = [],
        monitor: SyncMonitor = SyncMonitor(),
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> SyncSummary {
        var options = SyncOptions()
        options.synchronous = true
        change(&options)
        let partner = partner
        return try await Sync(
            partner: "p", folder: mirror, base: base, isNewOrigin: isNewOrigin, options: options,
            tree: tree, hooks: hooks, now: { Date(timeIntervalSince1970: 1_795_000_000) }
        ) { base, cache in
            try InterceptableSession(base: base, transport: partner.transport(base: base), cache: cache)
        }.run(monitor)
    }

    func read<T>(_ body: (CatalogueStore) throws -> T) throws -> T {
        let store = try mirror.store()
        defer { try? store.close() }
        return try body(store)
    }

    func ids(_ kind: Kind) throws -> [String] {
        try read { try $0.snapshot { try $0.ids(kind).sorted() } }
    }

    func ghosts(_ kind: Kind) throws -> [String] {
        try read { store in
            var ids: [String] = []
            try store.summaries(kind, ghosts: true) { ids.append($0.id) }
            return ids
        }
    }
}
