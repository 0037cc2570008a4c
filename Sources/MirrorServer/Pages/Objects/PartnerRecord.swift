import Catalogue
import MirrorStore

/// The record of the museum itself, at the end of the first page: the partner's own fields that have a value.
enum PartnerRecord {
    private static let shownElsewhere: Set<String> = [
        "id", "slug", "name", "website", "updated_at", "created_at", CatalogueMapping.originalsKey,
    ]

    /// What is surely meant for everybody. Of other fields, such as a note or an email, that isn't known: only the staff sees
    /// them.
    private static let forVisitors: Set<String> = [
        "type", "region", "licence", "license", "licence_url", "license_url",
    ]

    /// - Returns: `nil` if there is nothing that the face may see.
    static func block(_ context: PageContext) throws -> PageBlock? {
        let partner =
            try context.store.servedSingle(.partner).map {
                try JSONValue(parsing: $0.body.body).objectValue
            } ?? nil
        let found = partner.map { facts($0, for: context.face) } ?? []
        return found.isEmpty ? nil : PageBlock.facts(found)
    }

    static func facts(_ partner: JSONObject, for face: Face) -> [Fact] {
        let visible = face.visible(partner, of: .partner)
        let body =
            face.seesAll
            ? visible
            : JSONObject(
                visible.members.filter { forVisitors.contains($0.key) }.map { ($0.key, $0.value) })
        return Fact.others(of: body, except: shownElsewhere)
    }
}
