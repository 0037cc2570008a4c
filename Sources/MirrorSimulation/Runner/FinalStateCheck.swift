import Catalogue
import GRDB
import MirrorStore
import MirrorSync

/// Compares a mirror with its server's catalogue, at rest. Each check returns the differences as sentences.
struct FinalStateCheck {
    let mirror: SimulatedMirror
    let catalogue: PartnerCatalogue
    let traits: PartnerTraits
    let albumEndpoint: AlbumEndpoint
    let ledger: EditLedger
    /// Conflicts that were logged. The log itself may have deleted them.
    let conflicts: [LoggedConflict]
    /// Shows that ended before this time (seconds since 1970) are pruned.
    let endedBefore: Double?

    init(_ runner: HistoryRunner) {
        mirror = runner.mirror
        (catalogue, albumEndpoint) = runner.partner.with { ($0.catalogue, $0.albums) }
        traits = runner.partner.traits
        ledger = runner.editors.ledger
        conflicts = runner.editors.conflicts
        // Without `Date`, the server is assumed to have the mirror's time.
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
            } + references(expected, store)
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
            if local != remote { found.append("\(kind.plural): \(local) here, \(remote) there") }
            let own = try reader.ids(kind, withLinked: false).filter { remote.contains($0) }
            if Set(own) != expected.listed[kind] ?? [] {
                found.append("\(kind.plural): \(own.sorted()) are as if listed, \(remote) there")
            }
            for id in remote where !edited.contains(id) {
                let json = try reader.json(kind, id), text = catalogue.body(kind, id)?.text
                if json != text {
                    found.append(
                        "\(kind.name) \(id): \(json ?? "nothing") here, \(text ?? "nothing") there")
                }
            }
        }
        return found
    }

    /// Checks that the listed objects of some kinds are the same in mirror and server, and that the mirror has
    /// no other listed ones.
    func listed(_ kinds: [Kind]) throws -> [String] {
        try mirror.access { store in
            let expected = try expected(in: store)
            return try store.snapshot { reader in
                var found: [String] = []
                for kind in kinds {
                    let remote = expected.listed[kind] ?? []
                    let local = Set(try reader.ids(kind, withLinked: false))
                    if local != remote {
                        found.append("\(kind.plural): \(local.sorted()) here, \(remote.sorted()) there")
                    }
                    for id in remote.sorted() {
                        let json = try reader.json(kind, id), text = catalogue.body(kind, id)?.text
                        if json != text {
                            found.append(
                                "\(kind.name) \(id): \(json ?? "nothing") here, \(text ?? "nothing") there"
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
                    found.append("artworks of \(kind.name) \(id): \(local) here, \(remote) there")
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
                    found.append("artists of \(kind.name) \(id): \(local[id] ?? []) here, \(remote) there")
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
            found.append("documents: \(local.sorted()) here, \(remote.sorted()) there")
        }
        for id in expected.ids(.show) {
            for role in [ImageRole.installation, .cover] {
                let local = try reader.images(ofShow: id, role: role)
                let path = PartnerCatalogue.pictures(id, cover: role == .cover)
                let remote = (catalogue.pictures[path] ?? []).map(\.text)
                if local != remote {
                    found.append("\(role.rawValue) of show \(id): \(local) here, \(remote) there")
                }
            }
        }
        return found
    }

    private func references(_ expected: ExpectedMirror, _ store: CatalogueStore) throws -> [String] {
        try store.read { db in
            try [Kind.artwork, .artist, .location, .show].compactMap { kind in
                let sql = "SELECT id FROM \"\(kind.name)\" WHERE ghost = 1 ORDER BY id"
                let local = try String.fetchAll(db.cachedStatement(sql: sql))
                let remote = (expected.ghosts[kind] ?? []).sorted()
                return local == remote
                    ? nil : "ghosts of \(kind.plural): \(local) here, \(remote) to be expected"
            }
        }
    }

    private func expected(in store: CatalogueStore) throws -> ExpectedMirror {
        ExpectedMirror(
            catalogue, endedBefore: endedBefore, extraArtworks: try Self.extraArtworks(store, catalogue))
    }

    /// Artworks that are referred to only locally: in albums whose change the server refused, or by notes if the server
    /// has them.
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

    /// Checks the rules that hold whatever the server answers.
    func consistency() throws -> [String] {
        try mirror.access { store in
            let expected = try expected(in: store)
            return try store.read { db in
                var found: [String] = []
                let broken = try Row.fetchAll(db.cachedStatement(sql: "PRAGMA foreign_key_check"))
                if !broken.isEmpty { found.append("references lead nowhere: \(broken)") }
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
        return notes == ledger.notes ? [] : ["notes: \(notes), and \(ledger.notes) were written"]
    }

    /// Checks that of the objects that claim a slug, the one with the latest update has it, and no other object.
    private func slugs(_ kind: Kind, _ ids: [String], _ db: Database) throws -> [String] {
        let local = try Dictionary(
            uniqueKeysWithValues: Row.fetchAll(
                db.cachedStatement(sql: "SELECT id, slug FROM \"\(kind.name)\" WHERE ghost = 0")
            ).map { ($0[0] as String, $0[1] as String?) })
        var found: [String] = []
        let claims = Dictionary(grouping: ids.filter { catalogue.body(kind, $0)?.slug != nil }) { id in
            catalogue.body(kind, id)?.slug ?? ""
        }
        for (slug, rivals) in claims.sorted(by: { $0.key < $1.key }) {
            let winners = rivals.filter { local[$0] == slug }
            let latest = rivals.map { catalogue.body(kind, $0)?.updated ?? .min }.max()
            let isRight =
                winners.count == 1 && (catalogue.body(kind, winners[0])?.updated ?? .min) == latest
            if !isRight {
                found.append("the slug \(slug) of \(kind.plural) \(rivals) is kept by \(winners)")
            }
        }
        for id in ids where catalogue.body(kind, id)?.slug == nil {
            if let slug = local[id] ?? nil {
                found.append("\(kind.name) \(id) has the slug \(slug) of nobody")
            }
        }
        return found
    }

    // MARK: - Idempotence

    /// The counts that a sync without changes must not increase: pushed writes and logged conflicts.
    struct Activity: Equatable {
        let writes: Int
        let conflicts: Int
    }

    /// Whether the next sync still has something to do: fetch objects that are marked for it, or push edits of an album
    /// that came back.
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
