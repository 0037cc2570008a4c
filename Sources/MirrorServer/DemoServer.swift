import Foundation
import MirrorDemo
import MirrorStore
import MirrorSync

/// The built-in catalogue, served over real HTTP within this process: what `mirror sync demo` syncs, for an app to try itself on.
///
/// ```swift
/// let summary = try await DemoServer().whileRunning { try await mirror.sync(from: $0) }
/// ```
///
/// Each run begins with the catalogue as it is built in: albums that a client changes are gone afterwards.
public struct DemoServer: Sendable {
    package static let partnerID = DemoCatalogue.partnerID
    package static let host = "127.0.0.1"
    /// A part of its address. It distinguishes a mirror of the built-in catalogue from one of a catalogue that somebody
    /// serves on this machine.
    package static let name = "built-in"

    /// Draws the catalogue's pictures.
    private let draw: CatalogueServer.PictureDrawing?

    /// - Parameter draw: makes the bytes of a JPEG, by the image's id, the format's name, and width over height. `nil`, the default,
    ///   for painted landscapes. A debug build takes seconds to paint them all: a test makes bytes of its own.
    public init(
        draw: (@Sendable (_ image: String, _ format: String, _ aspectRatio: Double?) -> [UInt8])? = nil
    ) {
        self.draw = draw
    }

    /// Imports the catalogue into a folder of its own, serves it on a free port of this machine alone, and removes both when
    /// `body` has ended.
    ///
    /// - Parameter body: is given the address, for a first sync.
    /// - Throws: ``ServerError`` if it can't be served, `StoreError` or `SyncError` if the catalogue can't be stored, and what
    ///   `body` throws.
    public func whileRunning<Result: Sendable>(
        _ body: @escaping @Sendable (_ base: String) async throws -> Result
    ) async throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: "mirror-demo-\(UUID().uuidString)")
            .path
        // Nothing depends on the folder or its database; the system clears away a folder that can't be removed.
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = try MirrorHome(path: path).mirror(Self.partnerID)
        let imported = try await CatalogueImport(.embedded(DemoCatalogue.files), into: folder).run()
        guard imported.outcome == .complete else {
            throw ServerError(
                .demo,
                "The built-in catalogue could not be made ready: \(imported.failure ?? imported.outcome.rawValue)"
            )
        }
        let store = try folder.store(editing: true)
        defer { try? store.close() }
        // Its log begins again each time, so it could never report what changed since an earlier run.
        var configuration = CatalogueServer.Configuration(
            host: Self.host, extensions: [.validators, .status])
        if let draw { configuration.draw = draw }
        let server = CatalogueServer(
            mirrors: [.init(name: Self.name, store: store, files: folder.files)],
            configuration: configuration)
        return try await server.whileRunning { port in
            try await body("http://\(Self.host):\(port)/\(Self.name)/api/v1")
        }
    }
}
