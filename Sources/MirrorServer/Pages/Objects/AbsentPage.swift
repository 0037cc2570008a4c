import Catalogue
import MirrorStore

/// Pages in place of an object that isn't here.
enum AbsentPage {
    /// 410 if the object was deleted, otherwise 404. An object that the face may not see is unknown to it.
    static func page(_ kind: Kind, _ key: String, _ context: PageContext) throws -> MessagePage {
        if let page = try gonePage(kind, key, context) { return page }
        return MessagePage(
            .notFound, code: "not_found", title: "Nothing has this address",
            [
                MessagePage.Paragraph(
                    "There is no \(kind.name)", code: shortened(key),
                    after: " here. Search for it, or see",
                    link: ("all \(kind.plural)", context.href(.list(kind))))
            ], section: .below(kind))
    }

    /// 410 for an object that was deleted; `nil` if there is none that the face may see.
    private static func gonePage(_ kind: Kind, _ key: String, _ context: PageContext) throws -> MessagePage? {
        guard let gone = try context.store.lastDeletion(of: kind, key),
            context.face.shows(gone.body, of: kind)
        else { return nil }
        let object = GoneObject(gone, kind, context)
        let title = GoneObject.name(context.face.visible(gone.body, of: kind)).map {
            LongText.cut($0, to: 200).text
        }
        let kept = object.restorable.map { "What this copy held of it is kept until \($0)." }
        return MessagePage(
            .gone, code: "gone", title: "\(title ?? "This \(kind.name)") is gone",
            [
                MessagePage.Paragraph(
                    [object.reason, kept].compactMap(\.self).joined(separator: " "),
                    link: ("See what it was", context.href(.objectHistory(kind, key))))
            ]
                + (object.command.map {
                    [MessagePage.Paragraph("Until then, this brings it back:", code: $0)]
                } ?? []), section: .below(kind))
    }

    /// An object to which others refer, but which the server doesn't have.
    static func page(ghost: ObjectSummary, _ context: PageContext) throws -> MessagePage {
        // A deleted object to which something still refers was here.
        if let page = try gonePage(ghost.kind, ghost.id, context) { return page }
        guard try context.store.shows(ghost: ghost.kind, ghost.id, to: context.face) else {
            return try page(ghost.kind, ghost.id, context)
        }
        let tried = try context.store.lastTry(of: ghost.kind, ghost.id)
        let asked =
            tried.map { "It was asked for last on \(MomentText(now: context.now).at($0))." }
            ?? "It was not asked for yet."
        let isServed = try !context.store.isCatalogue
        return MessagePage(
            .notFound, code: "ghost", title: "\(article(ghost.kind)) that is only referred to",
            [
                MessagePage.Paragraph(
                    "Something in this catalogue names \(article(ghost.kind).lowercased()),",
                    code: shortened(ghost.id),
                    after: isServed
                        ? ", that the server does not have. \(asked) The next syncs ask again."
                        : ", that the catalogue’s files do not have.")
            ], section: .below(ghost.kind))
    }

    /// The first page of a mirror without anything; `nil` if something is here.
    static func emptyMirror(_ context: PageContext) throws -> MessagePage? {
        let store = context.store
        guard context.frame.kinds.isEmpty, try store.servedSingle(.partner) == nil else { return nil }
        let run = try store.lastUpdate()
        guard run?.endedAt != nil || run == nil else {
            return MessagePage(
                .ok, code: "empty", title: "This mirror has nothing yet",
                [
                    MessagePage.Paragraph(
                        "Its first sync is under way, or was stopped. Reload this page to see more; if nothing comes, run",
                        code: "mirror sync \(context.mirror.name)", after: ".")
                ],
                section: .home)
        }
        let name = context.mirror.name
        return MessagePage(
            .ok, code: "empty", title: "This mirror has nothing yet",
            [MessagePage.Paragraph("Run", code: "mirror sync \(name)", after: ", then reload this page.")],
            section: .home)
    }

    /// A file that was stored, and is no longer in the mirror's folder.
    static let lostFile = MessagePage(
        .notFound, code: "file_missing", title: "This file is missing here",
        [
            MessagePage.Paragraph(
                "It was stored, but is no longer in this copy’s folder. To fetch it again, run",
                code: "mirror verify --repair", after: ", then sync.")
        ])

    /// A run that the log doesn't have, or no longer has.
    static func unknownRun(_ number: String) -> MessagePage {
        MessagePage(
            .notFound, code: "not_found", title: "Nothing has this address",
            [
                MessagePage.Paragraph(
                    "There is no run", code: shortened(number),
                    after: " in the history, which covers the last 100 days.")
            ], section: PageSection(entry: .history, isExact: false))
    }

    static func article(_ kind: Kind) -> String {
        "\("aeiou".contains(kind.name.first ?? "x") ? "An" : "A") \(kind.name)"
    }

    /// At most 200 characters of an id.
    private static func shortened(_ id: String) -> String { LongText.cut(id, to: 200).text }
}
