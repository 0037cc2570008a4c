import Catalogue
import MirrorStore

/// The line below an object's name: dates and place of a show, address of a location.
enum ObjectSubtitle {
    static func parts(_ object: FoundObject, _ context: PageContext) throws -> [Fact.Part] {
        switch object.summary.kind {
        case .show:
            let dates = PageDates.span(from: object.text("start_at"), to: object.text("end_at"))
            let id =
                object.body?.ids("locations", single: "location").first ?? object.body?["location_id"]?.idText
            let place = try id.flatMap { try context.find(.location, $0) }
            var parts = dates.map { [Fact.Part(text: $0)] } ?? []
            if let place, place.body != nil {
                if !parts.isEmpty { parts.append(Fact.Part(text: ", ")) }
                parts.append(
                    Fact.Part(
                        text: LongText.cut(place.summary.name ?? place.summary.id, to: 200).text,
                        href: context.href(place.summary))
                )
            }
            return parts
        case .location:
            func value(_ field: String) -> String? { object.text(field) ?? object.number(field) }
            func line(_ values: String?...) -> String? {
                let line = values.compactMap(\.self).joined(separator: " ")
                return line.isEmpty ? nil : line
            }
            // `9000 Ghent`, but `Pittsburgh, PA 15213`.
            let code = value("postal_code"), city = value("city"), state = value("state")
            let town = state == nil ? [line(code, city)] : [city, line(state, code)]
            let lines: [String?] = [value("address"), value("address_2")] + town + [value("country")]
            let address = lines.compactMap(\.self).joined(separator: ", ")
            return address.isEmpty ? [] : [Fact.Part(text: LongText.cut(address, to: 300).text)]
        default: return []
        }
    }
}

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
        facts += Fact.others(of: object.body ?? JSONObject(), except: shownElsewhere)
        facts.append(Fact("Identifier", code: LongText.cut(object.summary.id, to: 300).text))
        facts += try ArtworkRecord.dated(object, context)
        facts.append(
            Fact(
                "Other forms",
                [Fact.Part(text: "JSON", href: context.href(object.summary) + PageAddress.suffix)]))
        return facts
    }
}

/// The documents of a show or artist, each a download.
enum DocumentRows {
    private static let most = 100

    static func block(of owner: Owner, _ object: FoundObject, _ context: PageContext) throws -> PageBlock? {
        let found = try context.store.documents(of: owner, limit: most + 1), documents = found.prefix(most)
        guard !documents.isEmpty else { return nil }
        let outer = Owner(owner.kind, object.summary.key)
        let rows = documents.map { document in
            PageBlock.Row(
                href: document.file == nil ? nil : context.href(.document(document.id, of: outer)),
                text: LongText.cut(document.title ?? document.filename ?? document.id, to: 200).text,
                detail: detail(document))
        }
        let isCut = found.count > most
        return .rows(
            "Documents", id: "documents", count: isCut ? nil : documents.count, rows,
            after: CutList.link(
                "documents", isCut ? nil : documents.count, shown: most,
                context.href(object.summary) + PageAddress.suffix))
    }

    static func json(of owner: Owner, _ object: FoundObject, _ context: PageContext) throws -> JSONValue {
        let outer = Owner(owner.kind, object.summary.key)
        return .array(
            try context.store.documents(of: owner, limit: CutList.mostInJSON).map { document in
                var json = JSONObject([("id", .string(document.id))])
                json["title"] = (document.title ?? document.filename).map(JSONValue.string)
                json["href"] = document.file.map { _ in
                    .string(context.href(.document(document.id, of: outer)))
                }
                return .object(json)
            })
    }

    /// `PDF, 1.2 MB`
    private static func detail(_ document: CatalogueStore.DocumentItem) -> String {
        let size = document.file.map(\.size) ?? document.size.map(Int64.init)
        let types = [
            "application/pdf": "PDF", "text/plain": "Text", "image/jpeg": "JPEG", "image/png": "PNG",
            "text/html": "HTML",
        ]
        let type = document.file.map { types[ServedType($0.type).name] ?? "File" }
        return [type ?? "not here yet", size.map(ByteText.text)].compactMap(\.self).joined(separator: ", ")
    }
}

/// Sizes in bytes: `0.3 kB`, `4.3 MB`.
enum ByteText {
    static func text(_ bytes: Int64) -> String {
        let units = ["kB", "MB", "GB", "TB"]
        var size = Double(bytes) / 1_000, unit = 0
        while size >= 999.95, unit < units.count - 1 { (size, unit) = (size / 1_000, unit + 1) }
        return "\(size.decimalText(places: 1)) \(units[unit])"
    }
}

/// The shows of an artist or at a location.
enum RelatedRows {
    private static let most = 60

    static func shows(of owner: Owner, _ context: PageContext) throws -> PageBlock? {
        let (shows, total) = try context.store.related(.show, to: owner, limit: most)
        guard !shows.isEmpty else { return nil }
        let rows = try shows.map { show in
            let found = try context.find(.show, show.id)
            let dates = PageDates.span(from: found?.text("start_at"), to: found?.text("end_at"))
            return PageBlock.Row(
                href: context.href(show), text: LongText.cut(show.name ?? show.id, to: 200).text,
                detail: dates)
        }
        let all = total > shows.count ? ("All shows", context.href(.list(.show))) : nil
        return .rows("Shows", id: "shows", count: total, rows, after: all)
    }
}

/// The artists of a show.
enum RelatedNames {
    private static let most = 100

    static func artists(ofShow owner: Owner, _ context: PageContext) throws -> PageBlock? {
        let (artists, total) = try context.store.related(.artist, to: owner, limit: most)
        guard !artists.isEmpty else { return nil }
        let names = try artists.map { artist in
            let typed = try context.store.fetch(Artist.self, id: artist.id)
            return PageBlock.Name(
                href: context.href(artist),
                text: LongText.cut(typed?.listName ?? artist.name ?? artist.id, to: 100).text)
        }
        .sorted { (SortKey.folded($0.text) ?? "~") < (SortKey.folded($1.text) ?? "~") }
        let json = context.href(.object(owner.kind, owner.id)) + PageAddress.suffix
        return .names(
            "Artists", id: "artists", count: total, names,
            after: CutList.link("artists", total, shown: most, json))
    }
}

/// The installation views of a show.
enum ShowViews {
    private static let most = 60

    static func block(of owner: Owner, _ context: PageContext) throws -> PageBlock? {
        let pictures = try context.store.pictures(of: owner).filter { $0.role == .installation }
        guard !pictures.isEmpty else { return nil }
        let covers = try WorkPictures.entries(pictures.prefix(most), of: owner, context).map { entry in
            let shot = entry.shot
            return PageBlock.Cover(
                href: shot?.largest ?? context.href(.object(.show, owner.id)),
                picture: shot.flatMap { $0.shown(in: .views) },
                absence: shot?.size == nil ? WorkPictures.absence(entry) : nil, name: nil,
                detail: entry.image.caption.map { LongText.cut($0, to: 200).text } ?? "View of the show")
        }
        let json = context.href(.object(owner.kind, owner.id)) + PageAddress.suffix
        return .covers(
            "Installation views", id: "views", count: pictures.count, covers,
            after: CutList.link("views", pictures.count, shown: most, json))
    }

    static func json(of owner: Owner, _ context: PageContext) throws -> JSONValue {
        let pictures = try context.store.pictures(of: owner).filter { $0.role == .installation }
        return .array(
            pictures.prefix(CutList.mostInJSON).map { picture in
                var json = JSONObject([
                    ("image", .object(context.face.visible(picture.image.json, of: .show)))
                ])
                json["href"] = WorkPictures.best(picture).map { .string(context.href($0)) }
                return .object(json)
            })
    }
}

/// The objects related to another as JSON, of which the page shows the first.
enum RelatedJSON {
    static func list(_ kind: Kind, of owner: Owner, _ context: PageContext) throws -> JSONValue {
        .array(
            try context.store.related(kind, to: owner, limit: CutList.mostInJSON).items.map { found in
                var json = JSONObject([("id", .string(found.id)), ("href", .string(context.href(found)))])
                json["name"] = found.name.map(JSONValue.string)
                return .object(json)
            })
    }
}
