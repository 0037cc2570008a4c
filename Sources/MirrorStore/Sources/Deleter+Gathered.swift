import Catalogue
import GRDB

/// The end of a run for objects that are gathered from artworks (``FinishRequest/gathered``).
extension Deleter {
    /// The gathered kinds, with the objects that nothing will refer to after this sweep.
    ///
    /// - Parameter scopes: the other objects that this sweep deletes.
    func gatheredScopes(besides scopes: [Scope]) throws -> [Scope] {
        let deleted = JSONValue.canonicalText(of: Self.ids(.artwork, in: scopes))
        return try log.kinds.listed.reversed().compactMap { kind in
            guard request.gathered.contains(kind), let named = kind.gatheredTable else { return nil }
            let others = log.kinds.references(to: kind).filter { $0.table != named }.map {
                "AND NOT EXISTS (SELECT 1 FROM \"\($0.table)\" r WHERE r.\($0.column) = o.id)"
            }
            let ids = try db.texts(
                """
                SELECT o.id FROM "\(kind.table)" o WHERE o.ghost = 0 AND o.kept = 0 AND o.linked = 0
                  AND NOT EXISTS (SELECT 1 FROM \(named) t WHERE t.\(kind.idColumn) = o.id
                    AND t.artwork_id NOT IN (SELECT value FROM json_each(?))) \(others.joined(separator: " "))
                ORDER BY o.id
                """, [deleted])
            let stored = try Self.storedCount(kind, in: db)
            return Scope(
                intent: DeleteGuard.Intent(
                    kind: kind, stored: stored, listed: stored - ids.count, deletions: ids.count),
                url: nil, ids: ids)
        }
    }

    /// Lets this run join the members that came with their object in a run that was killed before its end.
    ///
    /// The version of such an object vouches for its members, too, so they are not requested again.
    func confirmMembersOfObjects() throws {
        try db.run(
            """
            UPDATE list SET run = ?1 WHERE pending = 1 AND complete = 1 AND run IS NOT ?1 AND owner_kind <> 'partner'
              AND substr(url, -\(ListName.ownMembers.utf8.count)) = '\(ListName.ownMembers)'
            """, [log.run])
    }

    /// Stores the artworks of each location as a pending list, if they changed. They are then joined to the location like the list
    /// of a server.
    ///
    /// Does nothing unless artworks say where they are.
    ///
    /// - Parameter scopes: the objects that this sweep deletes.
    /// - Returns: the number of locations whose artworks changed.
    @discardableResult func stageGatheredArtworks(besides scopes: [Scope]) throws -> Int {
        guard request.joinsPlaces else { return 0 }
        var staged = 0
        let deleted = JSONValue.canonicalText(of: Self.ids(.artwork, in: scopes))
        let gathered = """
            SELECT location_id, artwork_id FROM artwork_location
            WHERE artwork_id NOT IN (SELECT value FROM json_each(?1))
            """
        let stored = "SELECT location_id, artwork_id FROM location_artwork"
        let changed = try db.texts(
            """
            SELECT location_id FROM (\(gathered) EXCEPT \(stored))
            UNION SELECT location_id FROM (\(stored) EXCEPT \(gathered)) ORDER BY location_id
            """, [deleted])
        let going = Set(Self.ids(.location, in: scopes).map(ExactText.init)), lists = ListWriter(log: log)
        for id in changed where !going.contains(ExactText(id)) {
            // A restored location keeps its artworks.
            guard try db.isTrue("SELECT 1 FROM location WHERE id = ? AND ghost = 0 AND kept = 0", [id]) else {
                continue
            }
            let ids = try db.texts(
                "SELECT artwork_id FROM (\(gathered)) WHERE location_id = ?2 ORDER BY artwork_id",
                [deleted, id])
            let list = ListName(
                url: "gathered/location/\(id)/artworks", owner: Owner(.location, id),
                name: ObjectList.artworks.rawValue)
            _ = try lists.stage(ListAnswer(list: list, etag: nil, date: nil), ids: ids)
            staged += 1
        }
        return staged
    }

    private static func ids(_ kind: Kind, in scopes: [Scope]) -> [String] {
        scopes.first { $0.intent.kind == kind }?.ids ?? []
    }
}
