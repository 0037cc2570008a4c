import Catalogue
import MirrorStore

/// The record of an artist, show, album or location.
enum RecordFacts {
    private static let shownElsewhere: Set<String> = [
        "id", "slug", "name", "display_name", "description", "biography", "blurb", "artists", "artist",
        "location",
        "location_id", "partner", "nationality", "years", "birthday", "deathday", "hometown", "start_at",
        "end_at",
        "address", "address_2", "postal_code", "city", "state", "country", "url", "web_url", "artwork_ids",
        "sortable_id",
        "first", "middle", "last", "updated_at", "created_at", "image_url", CatalogueMapping.originalsKey,
    ]

    static func facts(_ object: FoundObject, _ context: PageContext) throws -> [Fact] {
        var facts: [Fact] = []
        if object.summary.kind == .artist, let body = object.body, let artist = try? Artist(body),
            let listed = artist.listName
        {
            facts.append(Fact("Sorted as", LongText.cut(listed, to: 200).text))
        }
        let jsonHref = context.href(object.summary) + PageAddress.suffix
        // The heading has only its beginning.
        if let name = object.text("display_name") ?? object.text("name"),
            LongText.cut(name, to: 200).isCut
        {
            facts.append(Fact("Name", [Fact.Part(text: "The whole name, in the JSON", href: jsonHref)]))
        }
        facts += Fact.others(of: object.body ?? JSONObject(), except: shownElsewhere, jsonHref: jsonHref)
        facts.append(Fact("Identifier", code: LongText.cut(object.summary.id, to: 300).text))
        facts += try ArtworkRecord.dated(object, context)
        facts.append(Fact("Other forms", [Fact.Part(text: "JSON", href: jsonHref)]))
        return facts
    }
}
