import Testing

@testable import MirrorStore

@Suite("The conflict table") struct AlbumConflictTests {
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
            updatedAt: at.map { Int64(($0 * 1_000).rounded()) }, saysTheSame: same)
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
        Case("gone there, never here", nil, .deleted, .ignore),
        Case("gone there, in sync", local(.inSync), .deleted, .delete),
        Case("gone there, to be refetched", local(.refetchingNeeded), .deleted, .delete),
        Case("gone there, edited", local(.syncNeeded, at: 9e9), .deleted, .delete, .deleted),
        Case("gone there, refused", local(.syncFailed, at: 9e9), .deleted, .delete, .deleted),
        Case("gone there, artworks edited", local(.inSync, artworks: true), .deleted, .delete, .deleted),
        Case("gone there, deleted here", local(.inSync, deleted: true), .deleted, .delete),
        Case("gone there, edited then deleted here", local(.syncNeeded, deleted: true), .deleted, .delete),
        Case("new", nil, server(), .create),
        Case("in sync, older there", local(.inSync, at: 9e9), server(at: 0), .update),
        Case("in sync, artworks edited", local(.inSync, artworks: true, at: 9e9), server(at: 0), .update),
        Case("to be refetched, older there", local(.refetchingNeeded, at: 9e9), server(at: 0), .update),
        Case("edited, the same there", local(.syncNeeded, at: 0), server(at: 9e9, same: true), .update),
        Case(
            "deleted here, the same there", local(.inSync, deleted: true), server("\"1\"", same: true),
            .keepLocal),
        Case(
            "edited, unchanged there, later there", local(.syncNeeded, at: 0), server("\"1\"", at: 9e9),
            .keepLocal),
        Case("refused, unchanged there", local(.syncFailed, at: 0), server("\"1\"", at: 9e9), .keepLocal),
        Case(
            "edited, another ETag for the same body", local(.syncNeeded, at: 0),
            server("\"9\"", "{}", at: 9e9), .keepLocal),
        Case(
            "edited, no ETags, the same body", local(.syncNeeded, at: 0, base: .init(etag: nil, body: "{}")),
            server(nil, "{}", at: 9e9), .keepLocal),
        Case(
            "edited, no ETags, another body", local(.syncNeeded, at: 0, base: .init(etag: nil, body: "{}")),
            server(nil, at: 9e9), .update, .server),
        Case(
            "edited, base unknown, later here", local(.syncNeeded, at: 1_001, base: nil), server(),
            .keepLocal, .local),
        Case(
            "edited, base unknown, later there", local(.syncNeeded, at: 900, base: nil), server(), .update,
            .server),
        Case("later here", local(.syncNeeded, at: 2_000), server(), .keepLocal, .local),
        Case("refused, later here", local(.syncFailed, at: 2_000), server(), .keepLocal, .local),
        Case(
            "deleted here, later here", local(.inSync, deleted: true, at: 2_000), server(), .keepLocal, .local
        ),
        Case("at the same time", local(.syncNeeded), server(), .keepLocal, .local),
        Case("within the margin", local(.syncNeeded, at: 995.001), server(), .keepLocal, .local),
        Case("at the margin", local(.syncNeeded, at: 995), server(), .update, .server),
        Case("beyond the margin", local(.syncNeeded, at: 994.999), server(), .update, .server),
        Case("refused, later there", local(.syncFailed, at: 0), server(), .update, .server),
        Case("deleted here, later there", local(.inSync, deleted: true, at: 0), server(), .update, .server),
        Case("no time there", local(.syncNeeded, at: 9e9), server(at: nil), .update, .server),
        Case("no time here", local(.syncNeeded, at: nil), server(at: 0), .update, .server),
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
