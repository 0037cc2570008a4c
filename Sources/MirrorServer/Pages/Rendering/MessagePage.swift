import Catalogue
import Hummingbird

/// A page in place of another: for an unknown address, an object that is gone or only referred to, an empty mirror.
struct MessagePage: WebPage {
    /// A sentence, with an address or a name between its parts, and a link after it.
    struct Paragraph: Sendable {
        var text: String
        var code: String?
        var after: String?
        var link: (text: String, href: String)?

        init(
            _ text: String, code: String? = nil, after: String? = nil,
            link: (text: String, href: String)? = nil
        ) {
            (self.text, self.code, self.after, self.link) = (text, code, after, link)
        }

        /// The paragraph as the template shows it, without marks.
        var sentence: String {
            text + (code.map { " \($0)" } ?? "") + (after ?? "") + (link.map { " \($0.text)." } ?? "")
        }
    }

    static let template = "message"

    let status: HTTPResponse.Status
    let title: String
    let paragraphs: [Paragraph]
    var section: PageSection?
    /// A word for programs, as in the errors of the Partner API.
    let code: String

    init(
        _ status: HTTPResponse.Status, code: String, title: String, _ paragraphs: [Paragraph],
        section: PageSection? = nil
    ) {
        (self.status, self.code, self.title) = (status, code, title)
        (self.paragraphs, self.section) = (paragraphs, section)
    }

    var shown: Shown {
        [
            "heading": .string(title),
            "paragraphs": .many(
                paragraphs.map { paragraph in
                    [
                        "text": .string(paragraph.text), "code": .text(paragraph.code),
                        "after": .text(paragraph.after),
                        "link": .part(
                            paragraph.link.map { ["text": .string($0.text), "href": .string($0.href)] }),
                    ]
                }),
        ]
    }

    var json: JSONObject {
        var object = JSONObject()
        object["error"] = .string(code)
        object["message"] = .string(paragraphs.map(\.sentence).joined(separator: " "))
        let links = paragraphs.compactMap(\.link)
        if !links.isEmpty { object["links"] = .array(links.map { .string($0.href) }) }
        return object
    }

    /// 404 for an address that no page has.
    static let unknownAddress = MessagePage(
        .notFound, code: "not_found", title: "Nothing has this address",
        [
            Paragraph(
                "No page has this address. Search for what it was about, or start at the museum’s first page."
            )
        ])

    /// 404 for an address that belongs to no mirror.
    static let unknownMirror = MessagePage(
        .notFound, code: "not_found", title: "Nothing has this address",
        [
            Paragraph("No mirror has this address. Check how it is spelled."),
            Paragraph("Or go to", link: ("the first page", "/")),
        ])
}
