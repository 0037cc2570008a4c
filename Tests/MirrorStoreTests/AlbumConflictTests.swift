import Testing

@testable import MirrorStore

@Suite("Conflict rules of albums") struct AlbumConflictTests {
    typealias Local = AlbumConflict.Local

    private static let base = AlbumConflict.Version(etag: "\"1\"", body: "{}")

    private static func local(
        _ state: AlbumConflict.SyncState, deleted: Bool = false, artworks: Bool = false, at: Double? = 1_000,
        base: AlbumConflict.Version? = base
    ) -> Local {
        var local = Local()
        local.state = state
        local.isDeleted = deleted
        local.hasArtworkEdits = artworks
        local.editedAt = at.map { Int64(($0 * 1_000).rounded()) }
        local.base = base
        return local
    }

    private static func server(
        _ etag: String? = "\"2\"", _ body: String = "{\"a\":1}", at: Double? = 1_000, same: Bool = false
    ) -> AlbumConflict.Server {
        .version(
            AlbumConflict.Version(etag: etag, body: body),
            updatedAt: at.map { Int64(($0 * 1_000).rounded()) }, hasSameFields: same)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let local: Local?
        let server: AlbumConflict.Server
        let resolution: AlbumConflict.Resolution
        let conflict: AlbumConflict.Outcome?
        var testDescription: String { name }

        init(
            _ name: String, _ local: Local?, _ server: AlbumConflict.Server,
            _ resolution: AlbumConflict.Resolution, _ conflict: AlbumConflict.Outcome? = nil
        ) {
            (self.name, self.local, self.server) = (name, local, server)
            (self.resolution, self.conflict) = (resolution, conflict)
        }
    }

    static let cases = [
        Case("deleted on the server, not stored", nil, .deleted, .ignore),
        Case("deleted on the server, in sync", local(.inSync), .deleted, .delete),
        Case("deleted on the server, marked for refetch", local(.refetchingNeeded), .deleted, .delete),
        Case(
            "deleted on the server, edited locally", local(.syncNeeded, at: 9e9), .deleted, .delete, .deleted),
        Case(
            "deleted on the server, local edit refused", local(.syncFailed, at: 9e9), .deleted, .delete,
            .deleted),
        Case(
            "deleted on the server, artworks edited locally", local(.inSync, artworks: true), .deleted,
            .delete, .deleted),
        Case("deleted on both sides", local(.inSync, deleted: true), .deleted, .delete),
        Case(
            "deleted on the server, edited and then deleted locally", local(.syncNeeded, deleted: true),
            .deleted, .delete),
        Case("new on the server", nil, server(), .create),
        Case("in sync, older on the server", local(.inSync, at: 9e9), server(at: 0), .update),
        Case(
            "in sync, artworks edited locally", local(.inSync, artworks: true, at: 9e9), server(at: 0),
            .update),
        Case(
            "marked for refetch, older on the server", local(.refetchingNeeded, at: 9e9), server(at: 0),
            .update),
        Case(
            "edited locally, equal on the server", local(.syncNeeded, at: 0), server(at: 9e9, same: true),
            .update),
        Case(
            "deleted locally, equal on the server", local(.inSync, deleted: true),
            server("\"1\"", same: true),
            .keepLocal),
        Case(
            "edited locally, unchanged on the server with a later time", local(.syncNeeded, at: 0),
            server("\"1\"", at: 9e9),
            .keepLocal),
        Case(
            "local edit refused, unchanged on the server", local(.syncFailed, at: 0),
            server("\"1\"", at: 9e9), .keepLocal),
        Case(
            "edited locally, another ETag for the same body", local(.syncNeeded, at: 0),
            server("\"9\"", "{}", at: 9e9), .keepLocal),
        Case(
            "edited locally, no ETags, the same body",
            local(.syncNeeded, at: 0, base: .init(etag: nil, body: "{}")),
            server(nil, "{}", at: 9e9), .keepLocal),
        Case(
            "edited locally, no ETags, another body",
            local(.syncNeeded, at: 0, base: .init(etag: nil, body: "{}")),
            server(nil, at: 9e9), .update, .server),
        Case(
            "edited locally, base unknown, local edit later", local(.syncNeeded, at: 1_001, base: nil),
            server(),
            .keepLocal, .local),
        Case(
            "edited locally, base unknown, server later", local(.syncNeeded, at: 900, base: nil), server(),
            .update,
            .server),
        Case("local edit later", local(.syncNeeded, at: 2_000), server(), .keepLocal, .local),
        Case("local edit refused and later", local(.syncFailed, at: 2_000), server(), .keepLocal, .local),
        Case(
            "deleted locally, later than the server", local(.inSync, deleted: true, at: 2_000), server(),
            .keepLocal, .local
        ),
        Case("edited on both sides at the same time", local(.syncNeeded), server(), .keepLocal, .local),
        Case(
            "server later, within the margin", local(.syncNeeded, at: 995.001), server(), .keepLocal, .local),
        Case("server later by the margin", local(.syncNeeded, at: 995), server(), .update, .server),
        Case(
            "server later by more than the margin", local(.syncNeeded, at: 994.999), server(), .update,
            .server),
        Case("local edit refused, server later", local(.syncFailed, at: 0), server(), .update, .server),
        Case(
            "deleted locally, server later", local(.inSync, deleted: true, at: 0), server(), .update, .server),
        Case("no time on the server", local(.syncNeeded, at: 9e9), server(at: nil), .update, .server),
        Case("no time of the local edit", local(.syncNeeded, at: nil), server(at: 0), .update, .server),
    ]

    @Test(arguments: cases) func theFirstMatchingAlbumConflictRuleDecides(_ test: Case) {
        let rule = AlbumConflict(local: test.local, server: test.server).rule
        #expect(rule.resolution == test.resolution, "\(rule.name)")
        #expect(rule.conflict == test.conflict, "\(rule.name)")
    }

    @Test func everyAlbumConflictRuleIsCoveredByACase() {
        let used = Set(Self.cases.map { AlbumConflict(local: $0.local, server: $0.server).rule.name })
        #expect(used == Set(AlbumConflict.rules.map(\.name)))
    }
}
