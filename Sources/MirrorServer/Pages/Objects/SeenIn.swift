import Catalogue
import MirrorStore

/// A show or album that an artwork is in.
struct SeenIn {
    let href: String
    let name: String
    /// Its kind, with the show's dates or the album's number of artworks, if that is known.
    let text: String
    private let kind: Kind
    /// `nil` for the link to the list of all shows or albums, after those that are shown.
    private let id: String?

    /// The greatest number of shows, and of albums.
    static let maximum = 50

    /// The shows and then the albums of an artwork. If there are more of a kind than ``maximum``, a link to all of that kind
    /// follows.
    static func all(of artwork: String, _ context: PageContext) throws -> [SeenIn] {
        let owners = try context.store.owners(ofArtwork: artwork, for: context.face, limit: maximum + 1)
        return try [Kind.show, .album].flatMap { kind -> [SeenIn] in
            let found = owners.filter { $0.kind == kind }, first = found.prefix(maximum)
            let counts: [Int?] =
                try kind == .album
                ? context.store.memberCounts(of: kind, first.map(\.id), for: context.face)
                : first.map { _ in nil }
            let shown = try zip(first, counts).compactMap { try SeenIn(artwork, $0, works: $1, context) }
            return found.count > maximum ? shown + [SeenIn(all: kind, context)] : shown
        }
    }

    /// `nil` if the face may not see the show or album, or it is only referred to.
    private init?(_ artwork: String, _ owner: Owner, works: Int?, _ context: PageContext) throws {
        guard let found = try context.find(owner.kind, owner.id), let body = found.body else { return nil }
        let summary = found.summary
        (kind, id) = (owner.kind, owner.id)
        href = context.href(.member(artwork, of: Owner(owner.kind, summary.key)))
        name = LongText.cut(summary.name ?? summary.id, to: 200).text
        let detail =
            kind == .show
            ? PageDates.span(from: found.text("start_at"), to: found.text("end_at"))
            : works.map { CountText($0).of(.artwork) }
        // Only the staff sees those that visitors may not.
        let state = Face.visitors.shows(body, of: owner.kind) ? nil : "private"
        text = [owner.kind.name.capitalized, detail, state].compactMap(\.self).joined(separator: ", ")
    }

    private init(all kind: Kind, _ context: PageContext) {
        (self.kind, id) = (kind, nil)
        href = context.href(.list(kind))
        name = "All \(kind.plural)"
        text = "The artwork is in more of them"
    }

    var shown: Shown { ["href": .string(href), "name": .string(name), "text": .string(text)] }

    var json: JSONValue {
        .object(
            JSONObject([
                ("kind", .string(kind.name)), ("id", id.map { .string($0) } ?? .null),
                ("name", .string(name)),
                ("href", .string(href)),
            ]))
    }
}
