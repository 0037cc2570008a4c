import Catalogue
import GRDB
import MirrorStore

/// Invariant 6, of requests: what was committed before a run, and is the same there, doesn't come again in it. It doesn't
/// apply to objects in a run that requests everything (`--full`); files that are stored don't come again in that, either.
struct RefetchCheck {
    /// Bodies by canonical URL.
    private let committed: [String: String]
    /// Slugs that are claimed here, each with the canonical URLs of those who claim it.
    private var claims: [String: Set<String>] = [:]
    /// What is here of pictures at one path.
    private struct Pictures {
        var all: Set<String> = []
        /// Those whose files are here.
        var held: Set<String> = []
        /// The lists that name whom they are of, and their ids.
        var owners: [(list: String, id: String)] = []
    }

    /// By the path.
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

    /// Kinds don't share their slugs; that two kinds are taken for one here only leaves something unsaid.
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
                      EXISTS (SELECT 1 FROM image_file f WHERE f.image = i.pk AND f.hash IS NOT NULL AND f.entry = i.entry
                        AND f.unavailable_at IS NULL),
                      i.artwork_id, i.show_id
                    FROM image i WHERE i.image_url IS NOT NULL
                    """))
        var found: [String: Pictures] = [:]
        for row in rows {
            let path = "/\(row[0] as String)"
            found[path, default: Pictures()].all.insert(row[1])
            if row[2] { found[path]?.held.insert(row[1]) }
            for (kind, id) in [(Kind.artwork, row[3] as String?), (.show, row[4] as String?)] {
                if let id { found[path]?.owners.append((PartnerCatalogue.list(kind), id)) }
            }
        }
        return found
    }

    /// Of pictures; where something was said to be gone, or its list left it out, its pictures went with it: what is still
    /// referred to is asked for again. Another picture at the same address is one that is not here.
    func pictures(_ said: Said, _ db: Database) throws -> [Violation] {
        guard said.gone.isEmpty, said.missing.isEmpty, !said.pictures.isEmpty else { return [] }
        let now = try Self.pictures(db)
        return said.pictures.filter { path in
            guard let before = pictures[path], before.held == before.all,
                before.owners.allSatisfy({ owner in
                    (said.lists[owner.list] ?? []).allSatisfy { $0.contains(owner.id) }
                })
            else { return false }
            return now[path]?.all == before.all
        }.map { Violation(.killedRunsConverge, "\($0) came again, which is here.") }
    }

    /// - Parameters:
    ///   - said: what the server said to be gone was taken away, or is doubted, and is asked for again.
    ///   - catalogue: what the server has by now. Who loses a slug to another is asked for again, by rule, and so is what
    ///     no list names any more.
    ///   - weighsAlbums: whether albums may be looked at for what people edited.
    func violations(_ said: Said, _ catalogue: PartnerCatalogue, weighsAlbums: Bool) -> [Violation] {
        let gone = said.missing.union(
            said.gone.flatMap { kind, ids in ids.map { PartnerCatalogue.path(kind, $0) } })
        let again = said.bodies.filter { committed[$0.path] == $0.text && !gone.contains($0.path) }
        guard !again.isEmpty else { return [] }
        let there = Self.claims(
            catalogue.objects.map { ($0.key, $0.value.text) }
                + (said.bodies + said.told).map { ($0.path, $0.text) })
        let isContested = { (text: String) -> Bool in
            guard let slug = Self.slug(text) else { return false }
            return (claims[slug] ?? []).union(there[slug] ?? []).count > 1
        }
        let named = Set(
            Kinds.standard.listed.filter { $0 != .album || !weighsAlbums }.flatMap { kind in
                // A list that came may have lied: what one of them left out was swept, and asked for again.
                let lists = said.lists[PartnerCatalogue.list(kind)] ?? []
                return catalogue.ids(kind).filter { id in lists.allSatisfy { $0.contains(id) } }
                    .map { PartnerCatalogue.path(kind, $0) }
            })
        return again.filter { named.contains($0.path) && !isContested($0.text) }.map {
            Violation(.killedRunsConverge, "\($0.path) came again, as it was here.")
        }
    }
}
