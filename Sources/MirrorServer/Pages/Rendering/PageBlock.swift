import Catalogue
import MirrorStore

/// A part of a page below its title. All pages but the artwork's consist of these.
struct PageBlock {
    private let name: String
    /// What the template of this block shows.
    let content: Shown

    /// All names, so that a template inside a pair doesn't find the parts of the page around it.
    private static let names = [
        "pair", "wallBlock", "grid", "covers", "rows", "names", "letters", "prose", "facts", "onNow",
        "changes",
    ]

    private init(_ name: String, _ content: Shown) {
        self.name = name
        self.content = content
    }

    var shown: Shown {
        var shown: Shown = [:]
        for name in Self.names { shown[name] = .flag(false) }
        shown[name] = .one(content)
        return shown
    }

    /// A link after a block, such as `All 300 works`.
    typealias Link = (text: String, href: String)

    /// Two blocks beside each other, where the window is wide enough. Without the second, the first alone.
    static func pair(_ first: PageBlock?, _ second: PageBlock?) -> [PageBlock] {
        guard let first, let second else { return [first, second].compactMap(\.self) }
        return [PageBlock("pair", ["blocks": .many([first.shown, second.shown])])]
    }

    /// A wall to scale.
    static func wall(_ heading: String, id: String = "to-scale", _ wall: Wall) -> PageBlock {
        PageBlock("wallBlock", wall.shown.with(["heading": .string(heading), "id": .string(id)]))
    }

    /// A grid of works.
    enum GridStyle: String {
        case hang
        case few = "hang few"
        case numbered = "hang numbered"
    }

    /// - Parameters:
    ///   - heading: `nil` for a grid without one.
    ///   - count: the number of all works; `nil` if it is unknown.
    ///   - start: the number of the first work in a numbered grid.
    static func grid(
        _ heading: String?, id: String = "works", count: Int? = nil, style: GridStyle = .hang, start: Int = 1,
        _ captions: [Shown], paging: Shown? = nil, after: Link? = nil
    ) -> PageBlock {
        PageBlock(
            "grid",
            [
                "heading": .text(heading), "id": .string(id),
                "count": .text(count.map { CountText($0).digits }),
                "style": .string(style.rawValue), "isNumbered": .flag(style == .numbered),
                "start": .text(start > 1 ? String(start) : nil), "items": .many(captions),
                "paging": .part(paging), "after": .part(after.map(link)),
            ])
    }

    /// A grid of covers and installation views: pictures with a name or caption.
    struct Cover {
        let href: String
        let picture: Shown?
        /// Why there is no picture.
        let absence: String?
        let name: String?
        let detail: String
    }

    static func covers(
        _ heading: String, id: String, count: Int? = nil, _ covers: [Cover], after: Link? = nil
    ) -> PageBlock {
        PageBlock(
            "covers",
            [
                "heading": .string(heading), "id": .string(id),
                "count": .text(count.map { CountText($0).digits }),
                "items": .many(
                    covers.map { cover in
                        [
                            "href": .string(cover.href), "picture": .part(cover.picture),
                            "absence": .text(cover.absence),
                            "name": .text(cover.name), "detail": .string(cover.detail),
                        ]
                    }),
                "after": .part(after.map(link)),
            ])
    }

    /// An entry of a list of rows.
    struct Row {
        /// `nil` for something without a page or file here.
        let href: String?
        let text: String
        var detail: String?
        /// The words to mark in the text; `nil` for none.
        var words: SearchWords?
    }

    static func rows(
        _ heading: String?, id: String, count: Int? = nil, _ rows: [Row], paging: Shown? = nil,
        after: Link? = nil
    ) -> PageBlock {
        PageBlock(
            "rows",
            [
                "heading": .text(heading), "id": .string(id),
                "count": .text(count.map { CountText($0).digits }),
                "items": .many(
                    rows.map { row in
                        [
                            "href": .text(row.href), "text": .one(MarkedText(row.text, row.words).shown),
                            "detail": .text(row.detail),
                        ]
                    }),
                "paging": .part(paging), "after": .part(after.map(link)),
            ])
    }

    /// Names in columns, each with a number.
    struct Name {
        let href: String
        let text: String
        var number: Int?
    }

    static func names(
        _ heading: String?, id: String, count: Int? = nil, _ names: [Name], paging: Shown? = nil,
        after: Link? = nil
    ) -> PageBlock {
        PageBlock(
            "names",
            [
                "heading": .text(heading), "id": .string(id),
                "count": .text(count.map { CountText($0).digits }),
                "isAny": .flag(!names.isEmpty),
                "items": .many(
                    names.map { name in
                        [
                            "href": .string(name.href), "text": .string(name.text),
                            "number": .text(name.number.map { CountText($0).digits }),
                        ]
                    }),
                "paging": .part(paging), "after": .part(after.map(link)),
            ])
    }

    /// The letters A to Z; those without anything are no links.
    static func letters(_ label: String, _ hrefs: [String: String]) -> PageBlock {
        let all = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { String(UnicodeScalar($0)) }
        return letters(label, all.map { ($0, hrefs[$0]) })
    }

    /// Letters, centuries or other places to go to.
    static func letters(_ label: String, _ entries: [(text: String, href: String?)]) -> PageBlock {
        PageBlock(
            "letters",
            [
                "label": .string(label),
                "items": .many(entries.map { ["text": .string($0.text), "href": .text($0.href)] }),
            ])
    }

    /// A show that is running now.
    struct RunningShow {
        let href: String
        let name: String
        /// Dates and place.
        let parts: [Fact.Part]
        let text: String?
        /// The number of its artworks; `nil` if none is known.
        let works: String?
        let cover: Shown?
        let alt: String
    }

    static func onNow(_ show: RunningShow, others: [Row]) -> PageBlock {
        PageBlock(
            "onNow",
            [
                "href": .string(show.href), "name": .string(show.name),
                "parts": .many(show.parts.map(\.shown)),
                "text": .text(show.text), "works": .text(show.works), "cover": .part(show.cover),
                "alt": .string(show.alt),
                "others": .part(
                    others.isEmpty
                        ? nil
                        : [
                            "items": .many(
                                others.map {
                                    [
                                        "href": .text($0.href), "text": .string($0.text),
                                        "detail": .text($0.detail),
                                    ]
                                })
                        ]),
            ])
    }

    /// A change of an object in a list of the latest ones.
    struct ChangeRow {
        let action: ObjectChange.Action
        /// The kind's name; `nil` for artworks.
        let kind: String?
        /// `nil` for an object without a title or name.
        let title: String?
        /// What is shown in place of a title.
        let untitled: String
        let href: String?
        /// The artists.
        let detail: String?
        /// The fields that changed; `nil` for none.
        let fields: String?
        let day: String
    }

    static func changes(_ heading: String, _ rows: [ChangeRow], after: Link) -> PageBlock {
        PageBlock(
            "changes",
            [
                "heading": .string(heading), "after": .one(link(after)),
                "items": .many(
                    rows.map { row in
                        [
                            "isNew": .flag(row.action == .create), "isChanged": .flag(row.action == .update),
                            "isGone": .flag(row.action == .delete), "kind": .text(row.kind),
                            "title": .text(row.title), "untitled": .string(row.untitled),
                            "href": .text(row.href), "detail": .text(row.detail),
                            "fields": .text(row.fields), "day": .string(row.day),
                        ]
                    }),
            ])
    }

    /// A text field with its heading.
    static func prose(_ text: LongText) -> PageBlock { PageBlock("prose", text.shown) }

    static func facts(_ facts: [Fact]) -> PageBlock {
        PageBlock("facts", ["items": .many(facts.map(\.shown))])
    }

    private static func link(_ link: Link) -> Shown {
        ["href": .string(link.href), "text": .string(link.text)]
    }
}
