import Catalogue
import GRDB
import MirrorStore
import MirrorSync

/// Compares a mirror with its server's catalogue when nothing changes any more. Each check returns the differences as
/// sentences.
struct FinalStateCheck {
    let mirror: SimulatedMirror
    let catalogue: PartnerCatalogue
    let traits: PartnerTraits
    let albumEndpoint: AlbumEndpoint
    let ledger: EditLedger
    /// All conflicts that were logged during the history. The mirror may have trimmed them from its log since.
    let conflicts: [LoggedConflict]
    /// Shows that ended before this time (seconds since 1970) are pruned.
    let endedBefore: Double?

    init(_ runner: HistoryRunner) {
        mirror = runner.mirror
        (catalogue, albumEndpoint) = runner.partner.with { ($0.catalogue, $0.albums) }
        traits = runner.partner.traits
        ledger = runner.editors.ledger
        conflicts = runner.editors.conflicts
        // If the server sends no `Date`, a sync assumes that the server's clock equals the local one.
        let clock = runner.partner.clock, now = traits.sendsDate ? clock.server : clock.local
        endedBefore = runner.keepShows.map { now - $0 / .seconds(1) }
    }

    // MARK: - Equality

    /// Checks that mirror and server have the same content, except for edits that the server refused.
    func equality() throws -> [String] {
        try mirror.access { store in
            let refused = try store.refusedEdits()
            let expected = try expected(in: store)
            return try store.snapshot { reader in
                var found = try objects(expected, reader, refused: refused)
                found += try memberships(expected, reader, refused: refused)
                found += try parts(expected, reader)
                return found
            } + ghosts(expected, store)
        }
    }

    private func objects(_ expected: ExpectedMirror, _ reader: CatalogueReader, refused: [RefusedEdit]) throws
        -> [String]
    {
        var found: [String] = []
        for kind in Kinds.standard.listed {
            let edited = kind == .album ? Set(refused.map(\.album)) : []
            let remote = expected.ids(kind)
            let local = try reader.ids(kind).filter { remote.contains($0) || !edited.contains($0) }.sorted()
            if local != remote {
                found.append("\(kind.plural) in the mirror: \(local), on the server: \(remote)")
            }
            let own = try reader.ids(kind, withLinked: false).filter { remote.contains($0) }
            let listed = expected.listed[kind] ?? []
            if Set(own) != listed {
                found.append(
                    "listed \(kind.plural) in the mirror: \(own.sorted()), on the server: \(listed.sorted())")
            }
            for id in remote where !edited.contains(id) {
                let json = try reader.json(kind, id), text = catalogue.body(kind, id)?.text
                if json != text {
                    found.append(
                        "\(kind.name) \(id) in the mirror: \(json ?? "nothing"), on the server: \(text ?? "nothing")"
                    )
                }
            }
        }
        return found
    }

    /// Checks that mirror and server have the same listed objects of some kinds, each with the same JSON.
    func listed(_ kinds: [Kind]) throws -> [String] {
        try mirror.access { store in
            let expected = try expected(in: store)
            return try store.snapshot { reader in
                var found: [String] = []
                for kind in kinds {
                    let remote = expected.listed[kind] ?? []
                    let local = Set(try reader.ids(kind, withLinked: false))
                    if local != remote {
                        found.append(
                            "listed \(kind.plural) in the mirror: \(local.sorted()), on the server: \(remote.sorted())"
                        )
                    }
                    for id in remote.sorted() {
                        let json = try reader.json(kind, id), text = catalogue.body(kind, id)?.text
                        if json != text {
                            found.append(
                                "\(kind.name) \(id) in the mirror: \(json ?? "nothing"), on the server: \(text ?? "nothing")"
                            )
                        }
                    }
                }
                return found
            }
        }
    }

    private func memberships(
        _ expected: ExpectedMirror, _ reader: CatalogueReader, refused: [RefusedEdit]
    ) throws -> [String] {
        var found: [String] = []
        for kind in [Kind.show, .album, .location] {
            let edited = kind == .album ? Set(refused.map(\.album)) : []
            for id in expected.ids(kind) where !edited.contains(id) {
                let local = try reader.artworks(of: Owner(kind, id)), remote = expected.members(kind, id)
                if local != remote {
                    found.append(
                        "artworks of \(kind.name) \(id) in the mirror: \(local), on the server: \(remote)")
                }
            }
        }
        for (table, kind) in [
            (CatalogueReader.JoinTable.artworkArtist, Kind.artwork), (.showArtist, .show),
        ] {
            var local: [String: [String]] = [:]
            try reader.joins(table) { owner, member, _ in local[owner, default: []].append(member) }
            for id in expected.ids(kind) {
                let remote = catalogue.body(kind, id)?.artists ?? []
                if local[id] ?? [] != remote {
                    found.append(
                        "artists of \(kind.name) \(id) in the mirror: \(local[id] ?? []), on the server: \(remote)"
                    )
                }
            }
        }
        return found
    }

    /// Compares documents and pictures.
    private func parts(_ expected: ExpectedMirror, _ reader: CatalogueReader) throws -> [String] {
        var found: [String] = []
        var local: [String] = [], remote: [String] = []
        for (owner, json, _) in try reader.documents() {
            local.append("\(owner.kind.name) \(owner.id) \(json)")
        }
        for kind in [Kind.show, .artist] where traits.offersDocuments {
            for id in expected.ids(kind) {
                for document in catalogue.lists[PartnerCatalogue.documents(kind, id)] ?? [] {
                    let body = catalogue.objects[PartnerCatalogue.document(kind, id, document)]
                    remote.append("\(kind.name) \(id) \(body?.text ?? "")")
                }
            }
        }
        if local.sorted() != remote.sorted() {
            found.append("documents in the mirror: \(local.sorted()), on the server: \(remote.sorted())")
        }
        for id in expected.ids(.show) {
            for role in [ImageRole.installation, .cover] {
                let local = try reader.images(ofShow: id, role: role)
                let path = PartnerCatalogue.pictures(id, cover: role == .cover)
                let remote = (catalogue.pictures[path] ?? []).map(\.text)
                if local != remote {
                    found.append(
                        "\(role.rawValue) of show \(id) in the mirror: \(local), on the server: \(remote)")
                }
            }
        }
        return found
    }

    /// Compares the mirror's ghosts with the references to objects that no list has.
    private func ghosts(_ expected: ExpectedMirror, _ store: CatalogueStore) throws -> [String] {
        try store.read { db in
            try [Kind.artwork, .artist, .location, .show].compactMap { kind in
                let sql = "SELECT id FROM \"\(kind.name)\" WHERE ghost = 1 ORDER BY id"
                let local = try String.fetchAll(db.cachedStatement(sql: sql))
                let remote = (expected.ghosts[kind] ?? []).sorted()
                return local == remote
                    ? nil : "ghosts of \(kind.plural) in the mirror: \(local), expected: \(remote)"
            }
        }
    }

    private func expected(in store: CatalogueStore) throws -> ExpectedMirror {
        ExpectedMirror(
            catalogue, endedBefore: endedBefore, extraArtworks: try Self.extraArtworks(store, catalogue))
    }

    /// Artworks to which only the mirror refers: artworks that were added to an album although the server refused it, and
    /// unlisted artworks with a note, as far as the server still has them.
    private static func extraArtworks(_ store: CatalogueStore, _ catalogue: PartnerCatalogue) throws
        -> [String]
    {
        try store.read { db in
            let added = try String.fetchAll(
                db.cachedStatement(sql: "SELECT artwork_id FROM album_artwork WHERE pending = 'add'"))
            let noted = try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id FROM artwork WHERE linked = 1 AND ghost = 0
                          AND EXISTS (SELECT 1 FROM note n WHERE n.kind = 'artwork' AND n.id = artwork.id)
                        """))
            return added + noted.filter { catalogue.body(.artwork, $0) != nil }
        }
    }

    // MARK: - Consistency

    /// Checks the rules that are true after every run, even if the server's answers were false or stale.
    func consistency() throws -> [String] {
        try mirror.access { store in
            let expected = try expected(in: store)
            return try store.read { db in
                var found: [String] = []
                let broken = try Row.fetchAll(db.cachedStatement(sql: "PRAGMA foreign_key_check"))
                if !broken.isEmpty { found.append("rows refer to rows that don't exist: \(broken)") }
                for kind in Kinds.standard.listed where kind != .album {
                    found += try slugs(kind, expected.ids(kind), db)
                }
                return found
            }
        }
    }

    func notes() throws -> [String] {
        let notes = try mirror.access { store in
            try store.read {
                try String.fetchAll($0.cachedStatement(sql: "SELECT text FROM note ORDER BY number"))
            }
        }
        return notes == ledger.notes ? [] : ["notes in the mirror: \(notes), written: \(ledger.notes)"]
    }

    /// Checks for each slug that exactly one object has it in the mirror: of the objects that have the slug on the server
    /// (the claimants), the one with the latest `updated_at`.
    private func slugs(_ kind: Kind, _ ids: [String], _ db: Database) throws -> [String] {
        let local = try Dictionary(
            uniqueKeysWithValues: Row.fetchAll(
                db.cachedStatement(sql: "SELECT id, slug FROM \"\(kind.name)\" WHERE ghost = 0")
            ).map { ($0[0] as String, $0[1] as String?) })
        var found: [String] = []
        let claims = Dictionary(grouping: ids.filter { catalogue.body(kind, $0)?.slug != nil }) { id in
            catalogue.body(kind, id)?.slug ?? ""
        }
        for (slug, claimants) in claims.sorted(by: { $0.key < $1.key }) {
            let winners = claimants.filter { local[$0] == slug }
            let latest = claimants.map { catalogue.body(kind, $0)?.updated ?? .min }.max()
            let isRight =
                winners.count == 1 && (catalogue.body(kind, winners[0])?.updated ?? .min) == latest
            if !isRight {
                found.append(
                    "the slug \(slug) in the mirror: of \(kind.plural) \(winners), on the server: of \(claimants)"
                )
            }
        }
        for id in ids where catalogue.body(kind, id)?.slug == nil {
            if let slug = local[id] ?? nil {
                found.append("\(kind.name) \(id) has the slug \(slug) in the mirror, and none on the server")
            }
        }
        return found
    }

    // MARK: - Idempotence

    /// The counts that a sync must not increase if nothing changed: writes that the server received, and logged conflicts.
    struct Activity: Equatable {
        let writes: Int
        let conflicts: Int
    }

    /// Whether the next sync still has work: objects that are marked to be fetched again, or album edits that are not pushed
    /// yet, for example because the server lists the album again.
    func hasPendingWork() throws -> Bool {
        try mirror.access { store in
            guard try store.pendingAlbums().isEmpty else { return true }
            return try store.read { db in
                try Kinds.standard.listed.contains { kind in
                    let sql =
                        "SELECT EXISTS (SELECT 1 FROM \"\(kind.name)\" WHERE refetch = 1 AND ghost = 0)"
                    return try Bool.fetchOne(db.cachedStatement(sql: sql)) == true
                }
            }
        }
    }

    func activity() throws -> Activity {
        let conflicts = try mirror.access { try $0.conflicts(ChangeFilter()).count }
        return Activity(writes: mirror.partner.with { $0.albums.writes }, conflicts: conflicts)
    }
}
