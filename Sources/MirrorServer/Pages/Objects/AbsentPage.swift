import Catalogue
import MirrorStore

/// Pages in place of an object that isn't here.
enum AbsentPage {
    /// 410 if the object was deleted, otherwise 404. An object that the face may not see is unknown to it.
    static func page(_ kind: Kind, _ key: String, _ context: PageContext) throws -> MessagePage {
        if let gone = try context.store.lastDeletion(of: kind, key), context.face.shows(gone.body, of: kind) {
            let title = (gone.body["title"] ?? gone.body["name"])?.stringValue ?? "This \(kind.name)"
            let day = Timestamp(gone.at).map(PageDates.day) ?? gone.at
            return MessagePage(
                .gone, code: "gone", title: "\(title) is gone",
                [
                    MessagePage.Paragraph(
                        "The museum no longer has it; it was removed from this copy on \(day).",
                        link: ("See what it was", context.href(.objectHistory(kind, key)))),
                    MessagePage.Paragraph(
                        "It can be brought back with", code: "mirror restore",
                        after: ", as long as the history has it."),
                ], section: .below(kind))
        }
        return MessagePage(
            .notFound, code: "not_found", title: "Nothing has this address",
            [
                MessagePage.Paragraph(
                    "There is no \(kind.name)", code: shortened(key),
                    after: " here. Search for it, or see",
                    link: ("all \(kind.plural)", context.href(.list(kind))))
            ], section: .below(kind))
    }

    /// An object to which others refer, but which the server doesn't have.
    static func page(ghost: ObjectSummary, _ context: PageContext) throws -> MessagePage {
        let tried = try context.store.lastTry(of: ghost.kind, ghost.id).flatMap(Timestamp.init)
        let asked =
            tried.map { "It was asked for last on \(PageDates.moment($0))." } ?? "It was not asked for yet."
        return MessagePage(
            .notFound, code: "ghost", title: "\(Self.article(ghost.kind)) that is only referred to",
            [
                MessagePage.Paragraph(
                    "Something in this catalogue names \(Self.article(ghost.kind).lowercased()),",
                    code: shortened(ghost.id),
                    after: ", that the server does not have. \(asked) The next syncs ask again.")
            ], section: .below(ghost.kind))
    }

    private static func article(_ kind: Kind) -> String {
        "\("aeiou".contains(kind.name.first ?? "x") ? "An" : "A") \(kind.name)"
    }

    /// At most 200 characters of an id.
    private static func shortened(_ id: String) -> String { LongText.cut(id, to: 200).text }
}
