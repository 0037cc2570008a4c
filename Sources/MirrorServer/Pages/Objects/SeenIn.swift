import Catalogue
import MirrorStore

/// A show or album that an artwork is in.
struct SeenIn {
    let href: String
    let name: String
    /// Its kind, with the show's dates or the album's number of artworks, if that is known.
    let text: String
    private let kind: Kind
    private let id: String

    private static let maximum = 100

    static func all(of artwork: String, _ context: PageContext) throws -> [SeenIn] {
        try context.store.owners(ofArtwork: artwork, limit: maximum).compactMap { owner in
            guard let found = try context.find(owner.kind, owner.id), found.body != nil else { return nil }
            let href = context.href(
                .member(artwork, of: Owner(owner.kind, found.summary.slug ?? found.summary.id)))
            let text: String
            if owner.kind == .show {
                let dates = PageDates.span(from: found.text("start_at"), to: found.text("end_at"))
                text = ["Show", dates].compactMap(\.self).joined(separator: ", ")
            } else {
                let count = try context.store.memberCount(of: owner, for: context.face)
                let works = count.map { "\(CountText($0).digits) \($0 == 1 ? "artwork" : "artworks")" }
                text = ["Album", works].compactMap(\.self).joined(separator: ", ")
            }
            return SeenIn(
                href: href, name: found.summary.name ?? found.summary.id, text: text, kind: owner.kind,
                id: owner.id)
        }
    }

    var shown: Shown { ["href": .string(href), "name": .string(name), "text": .string(text)] }

    var json: JSONValue {
        .object(
            JSONObject([
                ("kind", .string(kind.name)), ("id", .string(id)), ("name", .string(name)),
                ("href", .string(href)),
            ]))
    }
}
