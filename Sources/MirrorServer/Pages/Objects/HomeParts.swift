import Catalogue
import MirrorStore

/// The shows that are running now, the first with its cover and text.
enum OnNow {
    /// - Returns: `nil` if none is running; otherwise also whether there is a picture.
    static func block(_ shows: [FoundObject], _ context: PageContext) throws -> (
        block: PageBlock, hasPicture: Bool
    )? {
        guard let first = shows.first else { return nil }
        let owner = Owner(.show, first.summary.id)
        let picture = try context.store.pictures(of: owner).first { $0.role == .cover }
        let cover = try picture.flatMap { try WorkPictures.shot($0, context) }
        let caption = picture?.image.caption.flatMap { $0.isEmpty ? nil : LongText.cut($0, to: 300).text }
        // Before the end of the first sync, none may only mean none yet.
        let count = try context.store.memberCount(of: owner, for: context.face)
        let text = first.text("description")
        let others = shows.dropFirst().map { show in
            PageBlock.Row(
                href: context.href(show.summary), text: name(show),
                detail: PageDates.span(from: show.text("start_at"), to: show.text("end_at")))
        }
        let block = PageBlock.onNow(
            PageBlock.RunningShow(
                href: context.href(first.summary), name: name(first),
                parts: try ObjectSubtitle.parts(first, context),
                text: text.map { LongText.cut(LongText.plain($0).text, to: 400).text },
                works: count == 0 ? nil : count.map { CountText($0).of(.artwork) } ?? "All artworks",
                cover: cover.flatMap { $0.shown(in: .work) },
                alt: caption ?? "View of the show \(name(first))"),
            others: Array(others))
        return (block, cover != nil)
    }

    private static func name(_ show: FoundObject) -> String {
        LongText.cut(show.summary.name ?? show.summary.id, to: 200).text
    }
}

/// The albums, each with the picture of its first artwork that has one.
enum AlbumCovers {
    /// - Returns: `nil` without albums; otherwise also whether any of them has a picture.
    static func block(_ albums: NameListing, _ context: PageContext) throws -> (
        block: PageBlock, hasPicture: Bool
    )? {
        guard !albums.items.isEmpty else { return nil }
        let pictures = try context.store.memberPictures(
            of: albums.items.map { Owner(.album, $0.id) }, for: context.face, limit: few)
        let covers = zip(albums.items, pictures).map { album, pictures in
            let choice = pictures.lazy.compactMap { context.present($0).choice }.first
            let isAwaited = pictures.contains { if case .notHere = $0 { true } else { false } }
            let count = album.artworks.map { CountText($0).of(.artwork) }
            return PageBlock.Cover(
                href: context.href(.object(.album, album.slug ?? album.id)),
                picture: choice.flatMap { Caption.picture($0, in: .albums, base: context.frame.base) },
                absence: choice == nil ? (isAwaited ? "Pictures not here yet" : "No picture") : nil,
                name: LongText.cut(album.name ?? album.id, to: 120).text,
                detail: [count, album.isHidden ? "Private" : nil].compactMap(\.self).joined(separator: ". "))
        }
        let all = albums.next == nil ? nil : ("All albums", context.href(.list(.album)))
        return (
            .covers("Albums", id: "albums", count: nil, covers, after: all),
            covers.contains { $0.picture != nil }
        )
    }

    /// The artworks among which a cover is looked for.
    private static let few = 12
}

/// Some artworks with pictures, for a museum without a wall and without albums.
enum FirstPictures {
    static func block(_ context: PageContext) throws -> PageBlock? {
        let listing = try context.store.artworks(query(context), limit: most)
        guard !listing.items.isEmpty else { return nil }
        return .grid(
            "Artworks", WorksGrid(items: listing.items, context: context).captions(),
            after: ("All artworks", context.href(.list(.artwork))))
    }

    /// The number of artworks with a picture here; `nil` if it is unknown.
    static func count(_ context: PageContext) throws -> Int? {
        try context.store.artworks(query(context), limit: 1).total
    }

    private static func query(_ context: PageContext) -> ArtworkQuery {
        ArtworkQuery(face: context.face, filters: [.pictures: "here"], sort: .change)
    }

    private static let most = 10
}

/// The latest changes of artworks, artists and shows.
enum LatelyChanged {
    static func block(_ context: PageContext, limit: Int) throws -> PageBlock? {
        let changes = try context.store.latestChanges(for: context.face, limit: limit)
        guard !changes.isEmpty else { return nil }
        let rows = changes.compactMap { change -> PageBlock.ChangeRow? in
            guard let at = Timestamp(change.at) else { return nil }
            let href: String? =
                change.action == .delete
                ? context.href(.objectHistory(change.kind, change.id))
                : context.href(.object(change.kind, change.slug ?? change.id))
            return PageBlock.ChangeRow(
                action: change.action, kind: change.kind == .artwork ? nil : change.kind.name,
                title: change.title.map { LongText.cut($0, to: 200).text },
                untitled: change.kind == .artwork ? "Untitled" : LongText.cut(change.id, to: 100).text,
                href: href,
                detail: change.detail.map { LongText.cut($0, to: 200).text },
                fields: fields(change.fields), day: PageDates.day(at))
        }
        return .changes(
            "Changed lately", rows,
            after: ("Everything that changed in the last 100 days", context.href(.history)))
    }

    /// The greatest number of fields that are named.
    private static let mostFields = 3

    /// `availability, location`; `nil` if nothing that a page shows has changed.
    static func fields(_ changes: [FieldChanges.Change]) -> String? {
        let names = changes.compactMap { change -> String? in
            guard let label = FieldText(change)?.label else { return nil }
            let name = label.hasSuffix(" id") ? label.dropLast(3) : label[...]
            return name.prefix(1).lowercased() + String(name.dropFirst())
        }
        guard !names.isEmpty else { return nil }
        let more = names.count - mostFields
        return names.prefix(mostFields).joined(separator: ", ")
            + (more > 0 ? " and \(CountText(more).words) more" : "")
    }
}
