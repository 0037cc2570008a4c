import Catalogue
import GRDB
import MirrorStore

/// Invariant 6, of requests: what was committed before a run and is unchanged on the server is not sent again in the run.
///
/// It does not apply to objects in a run that requests everything (`--full`). Files that are stored are not sent again in
/// that run, either.
struct RefetchCheck {
    /// Bodies of objects, by canonical URL.
    private let committed: [String: String]
    /// The canonical URLs of the objects that claim a slug, by slug.
    private var claims: [String: Set<String>] = [:]
    /// The pictures that the mirror has rows for, at one path.
    private struct Pictures {
        var all: Set<String> = []
        /// Those whose files are stored.
        var downloaded: Set<String> = []
        /// The objects that have the pictures: each with the key of the list that contains it, and its id.
        var owners: [(list: String, id: String)] = []
    }

    /// By path.
    private let pictures: [String: Pictures]

    init(_ db: Database) throws {
        var committed: [String: String] = [:]
        for kind in Kinds.standard.listed {
            let edits = kind == .album ? "AND sync_state = 'in_sync' AND deleted = 0" : ""
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id, json FROM "\(kind.name)" WHERE ghost = 0 AND linked = 0 AND refetch = 0 AND kept = 0
                          AND etag IS NOT NULL
                          AND json IS NOT NULL \(edits)
                        """))
            for row in rows { committed[PartnerCatalogue.path(kind, row[0])] = row[1] }
        }
        self.committed = committed
        pictures = try Self.pictures(db)
        claims = Self.claims(committed.map { ($0.key, $0.value) })
    }

    /// Each kind has its own slugs. To treat all kinds as one can only hide a violation, not report a false one.
    private static func claims(_ bodies: [(String, String)]) -> [String: Set<String>] {
        var claims: [String: Set<String>] = [:]
        for (path, text) in bodies {
            if let slug = slug(text) { claims[slug, default: []].insert(path) }
        }
        return claims
    }

    private static func slug(_ text: String) -> String? {
        text.firstRange(of: "\"slug\":\"").map { String(text[$0.upperBound...].prefix { $0 != "\"" }) }
    }

    private static func pictures(_ db: Database) throws -> [String: Pictures] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT json_extract(i.json, '$.image_url'),
                      json_array(i.pk, i.id, i.role, i.artwork_id, i.show_id, i.entry),
                      EXISTS (SELECT 1 FROM image_file f WHERE f.image = i.pk AND f.format = 'larger' AND f.hash IS NOT NULL
                        AND f.entry = i.entry AND f.unavailable_at IS NULL),
                      i.artwork_id, i.show_id
                    FROM image i WHERE i.image_url IS NOT NULL
                    """))
        var found: [String: Pictures] = [:]
        for row in rows {
            let path = "/\(row[0] as String)"
            found[path, default: Pictures()].all.insert(row[1])
            if row[2] { found[path]?.downloaded.insert(row[1]) }
            for (kind, id) in [(Kind.artwork, row[3] as String?), (.show, row[4] as String?)] {
                if let id { found[path]?.owners.append((PartnerCatalogue.list(kind), id)) }
            }
        }
        return found
    }

    /// Checks that no stored picture was sent again.
    ///
    /// Skipped if the server reported deletions, or if a list left out an object: the object's pictures were removed with
    /// it, and are requested again if something still refers to it. Another picture at the same address is also sent.
    func pictures(_ serverTranscript: ServerTranscript, _ db: Database) throws -> [Violation] {
        guard serverTranscript.deleted.isEmpty, serverTranscript.missing.isEmpty,
            !serverTranscript.pictures.isEmpty
        else { return [] }
        let now = try Self.pictures(db)
        return serverTranscript.pictures.filter { path in
            guard let before = pictures[path], before.downloaded == before.all,
                before.owners.allSatisfy({ owner in
                    (serverTranscript.lists[owner.list] ?? []).allSatisfy { $0.contains(owner.id) }
                })
            else { return false }
            return now[path]?.all == before.all
        }.map {
            Violation(.killedRunsConverge, "\($0) was downloaded again, although the mirror has the file.")
        }
    }

    /// Checks that no unchanged object was sent again.
    ///
    /// - Parameters:
    ///   - serverTranscript: what the server answered. Objects that it reported as deleted are not checked: the mirror
    ///     deleted them, or marked them to be fetched again.
    ///   - catalogue: the server's current catalogue. An object that lost its slug to another is requested again, by
    ///     rule, and so is one that no list contains any more.
    ///   - ignoresAlbums: whether albums are left out, as the mirror may request those that were edited.
    func violations(_ serverTranscript: ServerTranscript, _ catalogue: PartnerCatalogue, ignoresAlbums: Bool)
        -> [Violation]
    {
        let gone = serverTranscript.missing.union(
            serverTranscript.deleted.flatMap { kind, ids in ids.map { PartnerCatalogue.path(kind, $0) } })
        let again = serverTranscript.bodies.filter {
            committed[$0.path] == $0.text && !gone.contains($0.path)
        }
        guard !again.isEmpty else { return [] }
        let serverClaims = Self.claims(
            catalogue.objects.map { ($0.key, $0.value.text) }
                + (serverTranscript.bodies + serverTranscript.changedBodies).map { ($0.path, $0.text) })
        let isContested = { (text: String) -> Bool in
            guard let slug = Self.slug(text) else { return false }
            return (claims[slug] ?? []).union(serverClaims[slug] ?? []).count > 1
        }
        let named = Set(
            Kinds.standard.listed.filter { $0 != .album || !ignoresAlbums }.flatMap { kind in
                // A list may have been false: the objects that it left out were swept, and requested again.
                let lists = serverTranscript.lists[PartnerCatalogue.list(kind)] ?? []
                return catalogue.ids(kind).filter { id in lists.allSatisfy { $0.contains(id) } }
                    .map { PartnerCatalogue.path(kind, $0) }
            })
        return again.filter { named.contains($0.path) && !isContested($0.text) }.map {
            Violation(
                .killedRunsConverge, "\($0.path) was fetched again, although the mirror has this version.")
        }
    }
}
