import Catalogue
import GRDB
import MirrorStore
import MirrorSync

/// Holds a mirror against the model of its server, at rest. Each check says in sentences what does not hold.
struct HistoryCheck {
    let mirror: SimulatedMirror
    let catalogue: PartnerCatalogue
    let traits: PartnerTraits
    let desk: AlbumDesk
    let ledger: EditLedger
    /// Conflicts that were logged and may be forgotten by now.
    let conflicts: [LoggedConflict]
    /// Shows that ended before that are not kept.
    let ended: Double?

    init(stage: Stage) {
        mirror = stage.mirror
        (catalogue, desk) = stage.partner.with { ($0.catalogue, $0.albums) }
        traits = stage.partner.traits
        ledger = stage.people.ledger
        conflicts = stage.people.conflicts
        // A server that doesn't say the time is taken to have the mirror's.
        let clock = stage.partner.clock, now = traits.saysDate ? clock.server : clock.local
        ended = stage.keepShows.map { now - $0 / .seconds(1) }
    }

    // MARK: - Equality

    /// What the mirror holds is what the server has, edits that it refused for good aside.
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
            let there = expected.ids(kind)
            let here = try reader.ids(kind).filter { there.contains($0) || !edited.contains($0) }.sorted()
            if here != there { found.append("\(kind.plural): \(here) here, \(there) there") }
            let own = try reader.ids(kind, withLinked: false).filter { there.contains($0) }
            if Set(own) != expected.listed[kind] ?? [] {
                found.append("\(kind.plural): \(own.sorted()) are as if listed, \(there) there")
            }
            for id in there where !edited.contains(id) {
                let json = try reader.json(kind, id), text = catalogue.body(kind, id)?.text
                if json != text {
                    found.append(
                        "\(kind.name) \(id): \(json ?? "nothing") here, \(text ?? "nothing") there")
                }
            }
        }
        return found
    }

    /// What the lists of these kinds name is here as it is there, and nothing else is as if listed.
    func listed(_ kinds: [Kind]) throws -> [String] {
        try mirror.access { store in
            let expected = try expected(in: store)
            return try store.snapshot { reader in
                var found: [String] = []
                for kind in kinds {
                    let there = expected.listed[kind] ?? []
                    let here = Set(try reader.ids(kind, withLinked: false))
                    if here != there {
                        found.append("\(kind.plural): \(here.sorted()) here, \(there.sorted()) there")
                    }
                    for id in there.sorted() {
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
                let here = try reader.artworks(of: Owner(kind, id)), there = expected.members(kind, id)
                if here != there {
                    found.append("artworks of \(kind.name) \(id): \(here) here, \(there) there")
                }
            }
        }
        for (table, kind) in [
            (CatalogueReader.JoinTable.artworkArtist, Kind.artwork), (.showArtist, .show),
        ] {
            var here: [String: [String]] = [:]
            try reader.joins(table) { owner, member, _ in here[owner, default: []].append(member) }
            for id in expected.ids(kind) {
                let there = catalogue.body(kind, id)?.artists ?? []
                if here[id] ?? [] != there {
                    found.append("artists of \(kind.name) \(id): \(here[id] ?? []) here, \(there) there")
                }
            }
        }
        return found
    }

    /// Documents and pictures.
    private func parts(_ expected: ExpectedMirror, _ reader: CatalogueReader) throws -> [String] {
        var found: [String] = []
        var here: [String] = [], there: [String] = []
        for (owner, json, _) in try reader.documents() {
            here.append("\(owner.kind.name) \(owner.id) \(json)")
        }
        for kind in [Kind.show, .artist] where traits.offersDocuments {
            for id in expected.ids(kind) {
                for document in catalogue.lists[PartnerCatalogue.documents(kind, id)] ?? [] {
                    let body = catalogue.objects[PartnerCatalogue.document(kind, id, document)]
                    there.append("\(kind.name) \(id) \(body?.text ?? "")")
                }
            }
        }
        if here.sorted() != there.sorted() {
            found.append("documents: \(here.sorted()) here, \(there.sorted()) there")
        }
        for id in expected.ids(.show) {
            for role in [ImageRole.installation, .cover] {
                let here = try reader.images(ofShow: id, role: role)
                let path = PartnerCatalogue.pictures(id, cover: role == .cover)
                let there = (catalogue.pictures[path] ?? []).map(\.text)
                if here != there {
                    found.append("\(role.rawValue) of show \(id): \(here) here, \(there) there")
                }
            }
        }
        return found
    }

    private func references(_ expected: ExpectedMirror, _ store: CatalogueStore) throws -> [String] {
        try store.read { db in
            try [Kind.artwork, .artist, .location, .show].compactMap { kind in
                let sql = "SELECT id FROM \"\(kind.name)\" WHERE ghost = 1 ORDER BY id"
                let here = try String.fetchAll(db.cachedStatement(sql: sql))
                let there = (expected.ghosts[kind] ?? []).sorted()
                return here == there
                    ? nil : "ghosts of \(kind.plural): \(here) here, \(there) to be expected"
            }
        }
    }

    private func expected(in store: CatalogueStore) throws -> ExpectedMirror {
        ExpectedMirror(catalogue, ended: ended, held: try Self.held(store, catalogue))
    }

    /// Artworks that were added here to albums of which the server didn't take that, and those that once were referred to
    /// and have notes, as far as the server has them.
    private static func held(_ store: CatalogueStore, _ catalogue: PartnerCatalogue) throws -> [String] {
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

    // MARK: - Soundness

    /// What holds whatever the server says.
    func soundness() throws -> [String] {
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

    /// Of those who claim a slug, the one that was updated last has it, and nobody else.
    private func slugs(_ kind: Kind, _ ids: [String], _ db: Database) throws -> [String] {
        let here = try Dictionary(
            uniqueKeysWithValues: Row.fetchAll(
                db.cachedStatement(sql: "SELECT id, slug FROM \"\(kind.name)\" WHERE ghost = 0")
            ).map { ($0[0] as String, $0[1] as String?) })
        var found: [String] = []
        let claims = Dictionary(grouping: ids.filter { catalogue.body(kind, $0)?.slug != nil }) { id in
            catalogue.body(kind, id)?.slug ?? ""
        }
        for (slug, rivals) in claims.sorted(by: { $0.key < $1.key }) {
            let winners = rivals.filter { here[$0] == slug }
            let latest = rivals.map { catalogue.body(kind, $0)?.updated ?? .min }.max()
            let isRight =
                winners.count == 1 && (catalogue.body(kind, winners[0])?.updated ?? .min) == latest
            if !isRight {
                found.append("the slug \(slug) of \(kind.plural) \(rivals) is kept by \(winners)")
            }
        }
        for id in ids where catalogue.body(kind, id)?.slug == nil {
            if let slug = here[id] ?? nil {
                found.append("\(kind.name) \(id) has the slug \(slug) of nobody")
            }
        }
        return found
    }

    // MARK: - Standing still

    /// What a sync that finds nothing to do leaves as it is: pushes that were sent, conflicts that were noted.
    struct Standing: Equatable {
        let writes: Int
        let conflicts: Int
    }

    /// Whether the next sync still has something to do: to fetch what is marked for that, or to push what was added to an
    /// album that came back.
    func hasMore() throws -> Bool {
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

    func standing() throws -> Standing {
        let conflicts = try mirror.access { try $0.conflicts(ChangeFilter()).count }
        return Standing(writes: mirror.partner.with { $0.albums.writes }, conflicts: conflicts)
    }
}
