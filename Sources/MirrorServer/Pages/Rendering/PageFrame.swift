import Catalogue
import Foundation
import MirrorStore

/// What surrounds a page: the museum's name, the navigation, the state of the mirror, and the footer.
struct PageFrame: Sendable {
    /// The path of the mirror: `/name`.
    let base: String
    let face: Face
    /// The partner's name, or the mirror's.
    let museum: String
    /// The kinds of which the mirror has objects that may be seen.
    let kinds: [Kind]
    /// The address from which the mirror was made, if it can be a link; otherwise `nil`.
    let originHref: String?
    let originText: String
    /// When the last complete sync ended; `nil` if none has.
    let asOf: Timestamp?
    let notices: [Notice]
    /// The address under which others reach this server (`--public-url`), without a slash at its end; `nil` if it has none.
    let publicURL: String?
    /// Whether the server has more mirrors than this one.
    var hasOtherMirrors = false

    /// A strip above every page: something about the mirror that a reader has to know.
    struct Notice: Sendable, Hashable {
        enum Severity: String, Sendable {
            case good, bad
            case plain = ""
        }

        var severity = Severity.plain
        let strong: String
        let text: String
        /// A link to the history, with this text; `nil` for none.
        var link: String?
    }

    func href(_ address: PageAddress) -> String { base + address.path }

    /// What the layout shows around a page.
    func shown(
        around page: some RenderedPage, at target: PageTarget, json: String?, wall: String?, version: String
    )
        -> Shown
    {
        var shown: Shown = [
            "isStaff": .flag(face == .staff),
            "museum": .string(museum),
            "isHome": .flag(page.section == .home),
            "homeHref": .string(base),
            "navigation": .many(navigation(page.section)),
            "searchHref": .string(href(.search)),
            "words": .text(page.words),
            "notices": .many(notices.map(notice)),
            "originHref": .text(originHref), "originText": .string(originText),
            "asOf": .part(
                asOf.map { ["datetime": .string($0.text), "text": .string(PageDates.moment($0))] }),
            "historyHref": .string(href(.history)), "otherMirrors": .flag(hasOtherMirrors),
        ]
        shown["jsonHref"] = .text(json)
        let isShort = target.raw.utf8.count <= PageTarget.longestLink
        let path = page.canonical ?? (isShort ? target.raw : nil)
        shown["canonical"] = .text(path.flatMap { path in publicURL.map { $0 + path } } ?? page.canonical)
        shown["isPrivate"] = .flag(publicURL == nil)
        shown["shareImage"] = .text(
            publicURL.flatMap { url in page.sharePicture.map { url + $0 } })
        let neighbours = page.neighbours
        shown["previousHref"] = .text(neighbours.previous)
        shown["nextHref"] = .text(neighbours.next)
        return shown.with(Self.shown(title: title(of: page), page, target, wall, version)).with(page.shown)
    }

    /// What the layout shows on pages outside a mirror.
    static func shown(
        title: String, _ page: some RenderedPage, _ target: PageTarget, _ wall: String?, _ version: String
    ) -> Shown {
        let walls = [("white", "white"), ("dark", "dark"), ("system", "as the system")]
        return [
            "documentTitle": .string(LongText.cut(title, to: 300).text),
            "description": .text(page.description.map { LongText.cut($0, to: 300).text }),
            "version": .string(version), "wall": .text(wall), "here": .string(target.link),
            "walls": .many(
                walls.map { value, text in
                    [
                        "value": .string(value), "text": .string(text),
                        "isCurrent": .flag(value == (wall ?? "system")),
                    ]
                }),
        ]
    }

    private func title(of page: some RenderedPage) -> String {
        page.section == .home ? museum : "\(page.title) – \(museum)"
    }

    private func navigation(_ section: PageSection?) -> [Shown] {
        func entry(_ entry: PageSection.Entry, _ text: String, _ address: PageAddress) -> Shown {
            let current = section?.entry == entry ? (section?.isExact == true ? "page" : "true") : nil
            return ["text": .string(text), "href": .string(href(address)), "current": .text(current)]
        }
        return kinds.map { entry(.kind($0), $0.plural.capitalized, .list($0)) }
            + [entry(.history, "History", .history)]
    }

    private func notice(_ notice: Notice) -> Shown {
        [
            "severity": .text(notice.severity.rawValue), "strong": .string(notice.strong),
            "text": .string(notice.text),
            "link": .part(notice.link.map { ["href": .string(href(.history)), "text": .string($0)] }),
        ]
    }
}
