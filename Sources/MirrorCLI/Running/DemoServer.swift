import Foundation
import MirrorDemo
import MirrorServer
import MirrorStore
import MirrorSync

/// The built-in catalogue, served over real HTTP within this process while a sync runs.
struct DemoServer: Sendable {
    static let host = "127.0.0.1"
    /// Its part of the address, by which a mirror's origin tells that it is the built-in catalogue and not one that somebody
    /// serves on this machine.
    static let name = "built-in"

    /// Whether `mirror sync demo` means the built-in catalogue: no server was named, now or before.
    static func isMeant(partner: String, from: String?, folder: MirrorFolder) throws -> Bool {
        guard partner == DemoCatalogue.partnerID, from == nil else { return false }
        guard folder.exists else { return true }
        // Only looked at: a dry run changes nothing.
        let file = PlanningFile(folder)
        let store = try CatalogueStore.planning(folder)
        let origin = try store.origin
        try store.close()
        try file.restore()
        return origin.flatMap(URL.init).map { $0.host() == host && $0.pathComponents.contains(name) } ?? true
    }

    /// Imports the catalogue into a folder of its own, serves it on a free port, and removes both when `body` has ended.
    func whileRunning<Result: Sendable>(
        _ body: @escaping @Sendable (_ base: String) async throws -> Result
    ) async throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: "mirror-demo-\(UUID().uuidString)")
            .path
        // Nothing depends on the folder; one that can't be removed is the system's to clear away.
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = try MirrorHome(path: path).mirror(DemoCatalogue.partnerID)
        let imported = try await CatalogueImport(.embedded(DemoCatalogue.files), into: folder).run()
        guard imported.outcome == .complete else {
            throw CommandError(
                .demo,
                "The built-in catalogue could not be made ready: \(imported.failure ?? imported.outcome.rawValue)"
            )
        }
        let store = try folder.open()
        let server = CatalogueServer(
            mirrors: [.init(name: Self.name, store: store, files: folder.files)],
            // Its log begins anew each time, so it could never tell what changed since an earlier run.
            configuration: .init(host: Self.host, extensions: [.validators, .status]))
        do {
            let result = try await server.whileRunning { port in
                try await body("http://\(Self.host):\(port)/\(Self.name)/api/v1")
            }
            try store.close()
            return result
        } catch {
            try? store.close()
            throw error
        }
    }
}
