import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// A server with one album, a mirror of it, and the clocks of both. Times are seconds after ``start`` by the server's clock.
struct AlbumScenario {
    let partner: FakePartner
    let mirror: TestMirror
    /// The seconds by which the local clock is behind the server's.
    let offset: Double

    static let start = 1_795_000_000.0

    /// - Parameter offset: is stored, as if a sync had measured it, before anything is edited.
    init(offset: Double = 0, validators: Bool = true) async throws {
        partner = FakePartner { state in
            if validators {
                state.extensions = ["validators"]
                state.hasListETags = true
            }
            state.albums = FakePartner.Albums()
            for id in ["a", "b", "c"] { state.artwork(id) }
            state.album("m", name: "Original", at: Self.time(-1_000))
            state.lists["/partner/p/album/m/artworks"] = ["a"]
        }
        mirror = try TestMirror(partner)
        self.offset = offset
        try await mirror.sync()
        try mirror.read { try $0.noteClockOffset(Double(offset)) }
    }

    static func time(_ second: Double) -> String {
        CatalogueStore.text(of: Date(timeIntervalSince1970: start + second))
    }

    // MARK: - Arranging

    /// Edits albums locally, at a second of the server's time.
    @discardableResult
    func editLocally<T>(at second: Double = 0, _ body: (AlbumEditor) throws -> T) throws -> T {
        let now = Date(timeIntervalSince1970: Self.start + second - offset)
        let store = try CatalogueStore.open(at: mirror.mirror.database, now: { now })
        defer { try? store.close() }
        return try body(AlbumEditor(store))
    }

    func rename(_ id: String = "m", to name: String, at second: Double = 0) throws {
        #expect(try editLocally(at: second) { try $0.change(id, by: AlbumChange(name: name)) })
    }

    /// Changes the server's state.
    func changeServer(_ change: (inout FakePartner.State) -> Void) {
        partner.change { change(&$0) }
    }

    func renameOnServer(to name: String, at second: Double = 0) {
        changeServer { $0.album("m", name: name, at: Self.time(second)) }
    }

    @discardableResult
    func sync() async throws -> SyncSummary { try await mirror.sync { $0.maxDelete = .total(100) } }

    // MARK: - Asserting

    /// The names of the albums by id; they must be the same in the mirror and on the server.
    func names() throws -> [String: String] {
        let inMirror = try mirror.read { store in
            Dictionary(uniqueKeysWithValues: try store.albums().map { ($0.id, $0.fields.name ?? "") })
        }
        var onServer: [String: String] = [:]
        partner.change { state in
            for id in state.lists["/partner/p/albums"] ?? [] { onServer[id] = state.albumName(id) }
        }
        #expect(inMirror == onServer, "the mirror and the server have the same albums")
        return inMirror
    }

    /// The artworks of an album; they must be the same in the mirror and on the server.
    func artworks(_ id: String = "m") throws -> [String] {
        let inMirror = try mirror.read { try $0.find(.album, id)?.artworks ?? [] }
        var onServer: [String] = []
        partner.change { onServer = $0.lists["/partner/p/album/\(id)/artworks"] ?? [] }
        #expect(inMirror == onServer, "the mirror and the server have the same artworks")
        return inMirror
    }

    func conflicts() throws -> [String] {
        try mirror.read { try $0.conflicts(ChangeFilter()).map { "\($0.id) \($0.resolution.rawValue)" } }
    }

    func isQuiet() throws -> Bool {
        try mirror.read { try $0.pendingAlbums().isEmpty && $0.pendingAlbumDeletions().isEmpty }
    }

    /// Whether another sync pushes nothing and logs no further conflict.
    func isSettled() async throws -> Bool {
        let writes = partner.writes.count, before = try conflicts()
        let summary = try await sync()
        let pushes = partner.writes.dropFirst(writes).filter { $0.contains("/album") }
        return try pushes.isEmpty && conflicts() == before && isQuiet() && summary.outcome == .complete
    }
}
