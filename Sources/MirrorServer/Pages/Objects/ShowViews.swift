import Catalogue
import MirrorStore

/// The installation views of a show.
enum ShowViews {
    /// A view with its picture takes about 390 bytes of a page, beside 60 works and a wall.
    private static let most = 16

    static func block(of owner: Owner, _ context: PageContext) throws -> PageBlock? {
        let pictures = try context.store.pictures(of: owner).filter { $0.role == .installation }
        guard !pictures.isEmpty else { return nil }
        let covers = try WorkPictures.entries(pictures.prefix(most), of: owner, context).map { entry in
            let shot = entry.isShown ? entry.shot : nil
            return PageBlock.Cover(
                href: shot?.largest ?? context.href(.object(.show, owner.id)),
                picture: shot.flatMap { $0.shown(in: .views) },
                absence: shot == nil ? WorkPictures.absence(entry) : nil, name: nil,
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
