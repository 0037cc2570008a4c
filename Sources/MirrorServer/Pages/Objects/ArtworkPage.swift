import Catalogue
import MirrorStore

/// The page of an artwork: the picture first, then the label beside it, then everything else.
struct ArtworkPage: WebPage {
    static let template = "artwork"

    private let object: FoundObject
    private let pictures: WorkPictures
    private let label: WorkLabel
    private let record: [Fact]
    private let texts: [LongText]
    private let notes: ObjectNotes?
    private let editions: EditionTable?
    private let seenIn: [SeenIn]
    private let along: Along?
    private let moreBy: MoreWorks?
    private let ownHref: String

    /// Gathers what the page shows.
    ///
    /// - Parameter along: the artwork's place among the others of the context or list from which it was reached.
    init(_ object: FoundObject, along: Along?, _ context: PageContext) throws {
        let body = object.body ?? JSONObject()
        let owner = Owner(.artwork, object.summary.id)
        self.object = object
        self.along = along
        ownHref = context.href(object.summary)
        label = try WorkLabel(object, context)
        pictures = try WorkPictures(of: owner, context, title: label.title, by: label.names)
        record = try ArtworkRecord.facts(object, label, pictures, context)
        notes = try ObjectNotes(about: object.summary, context)
        texts =
            LongText.texts(of: body, jsonHref: ownHref + PageAddress.suffix)
            + [notes?.text].compactMap(\.self)
        editions = EditionTable(body, jsonHref: ownHref + PageAddress.suffix)
        seenIn = try SeenIn.all(of: owner.id, context)
        moreBy = try MoreWorks(by: label.artists.first, besides: owner.id, context)
    }

    var title: String {
        [label.title ?? "Untitled", label.names].compactMap(\.self).map { LongText.cut($0, to: 200).text }
            .joined(separator: ", ")
    }
    var description: String? { label.lines.joined(separator: ". ") }
    var canonical: String? { ownHref }
    var sharePicture: String? { pictures.main?.href }
    var section: PageSection? { along?.section ?? .below(.artwork) }
    var neighbours: (previous: String?, next: String?) { (along?.previous?.href, along?.next?.href) }

    var shown: Shown {
        var shown = label.shown(pictureRatio: pictures.ratio).with(pictures.shown)
        shown["along"] = .part(along?.shown)
        shown["texts"] = .many(texts.map(\.shown))
        shown["editions"] = .part(editions?.shown)
        shown["seenIn"] = .part(seenIn.isEmpty ? nil : ["rows": .many(seenIn.map(\.shown))])
        shown["moreBy"] = .part(moreBy?.shown)
        shown["record"] = .one(["items": .many(record.map(\.shown))])
        return shown
    }

    var json: JSONObject {
        var json = JSONObject([
            ("id", .string(object.summary.id)), ("kind", .string(Kind.artwork.name)),
            ("href", .string(ownHref)),
            ("object", .object(object.body ?? JSONObject())), ("pictures", pictures.json),
            ("picture_total", pictures.total),
            ("seen_in", .array(seenIn.map(\.json))),
        ])
        json["notes"] = notes?.json
        json["along"] = along.map { .object($0.json) }
        return json
    }
}
