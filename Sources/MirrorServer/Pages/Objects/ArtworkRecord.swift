import Catalogue
import MirrorStore

/// The record of an artwork: every field that the label doesn't show, where it comes from, and when it changed.
enum ArtworkRecord {
    /// Fields that other parts of the page show.
    private static let shownElsewhere =
        LongText.names.union([
            "id", "slug", "title", "date", "medium", "dimensions", "series", "images", "artist", "artists",
            "edition_sets",
            "location", "location_id", "partner", "category", "url", "price", "internal_display_price",
            "updated_at", "created_at", CatalogueMapping.originalsKey,
        ])

    static func facts(
        _ object: FoundObject, _ label: WorkLabel, _ pictures: WorkPictures, _ context: PageContext
    ) throws -> [Fact] {
        let body = object.body ?? JSONObject()
        var facts: [Fact] = []
        if let category = object.text("category") {
            let href = context.href(.list(.artwork), [NameValue("category", category)])
            // The list ignores a longer filter, and the server refuses a much longer address.
            let isLink = href.utf8.count <= PageTarget.longestLink
            let text = LongText.cut(category, to: 200).text
            facts.append(Fact("Category", [Fact.Part(text: text, href: isLink ? href : nil)]))
        }
        let jsonHref = context.href(object.summary) + PageAddress.suffix
        facts += Fact.others(of: body, except: shownElsewhere, jsonHref: jsonHref)
        facts.append(Fact("Identifier", code: LongText.cut(object.summary.id, to: 300).text))
        facts += try dated(object, context)
        facts.append(Fact("Cite as", citation(object, label, context)))
        let json = Fact.Part(text: "JSON", href: jsonHref)
        var forms = [json]
        for entry in pictures.entries.filter(\.isShown).prefix(12) {
            forms.append(Fact.Part(text: ", "))
            forms.append(Fact.Part(text: "picture \(entry.number)", href: entry.shot?.largest))
        }
        facts.append(Fact("Other forms", forms))
        return facts
    }

    /// The partner's page, whether the object was restored, when it was first seen, and its latest change.
    static func dated(_ object: FoundObject, _ context: PageContext) throws -> [Fact] {
        var facts: [Fact] = []
        if let url = object.text("url") ?? object.text("web_url") {
            facts.append(Fact("On the partner’s site", address: url))
        }
        if try context.store.isKept(object.summary.kind, object.summary.id) {
            let reason =
                try context.store.isCatalogue
                ? "the catalogue’s files no longer have it" : "the server no longer lists it"
            facts.append(Fact("Restored", "It was restored in this copy: \(reason)."))
        }
        let dates = try context.store.dates(of: object.summary.kind, object.summary.id, for: context.face)
        func fact(_ label: String, _ change: CatalogueStore.DatedChange) -> Fact? {
            guard let time = Timestamp(change.at) else { return nil }
            var parts = [Fact.Part(text: PageDates.day(time), datetime: time.text)]
            if let run = change.run {
                parts.append(Fact.Part(text: ", "))
                parts.append(Fact.Part(text: "run \(run)", href: context.href(.run("\(run)"))))
            }
            return Fact(label, parts)
        }
        let summary = object.summary
        let history = PageAddress.objectHistory(summary.kind, summary.key)
        if let first = dates.first.flatMap({ fact("First seen", $0) }) { facts.append(first) }
        if let last = dates.last, last != dates.first, let shown = fact("Last changed", last) {
            facts.append(shown)
        }
        facts.append(Fact("History", [Fact.Part(text: "All changes", href: context.href(history))]))
        return facts
    }

    private static func citation(_ object: FoundObject, _ label: WorkLabel, _ context: PageContext) -> String
    {
        let names = LongText.cut(label.names ?? "Unknown artist", to: 500).text
        let date = object.text("date").map { ", \(LongText.cut($0, to: 100).text)" } ?? ""
        let number = object.text("inventory_id") ?? object.number("inventory_id") ?? object.summary.id
        let mirrored = context.frame.asOf.map { " Mirrored \(PageDates.day($0))." } ?? ""
        let title = LongText.cut(label.title ?? "Untitled", to: 300).text
        return
            "\(names), \(title)\(date). \(context.frame.museum), \(LongText.cut(number, to: 100).text).\(mirrored)"
    }
}
