import Catalogue
import MirrorStore

/// Finds the place of an artwork among others.
struct AlongFinder {
    private let context: PageContext

    init(_ context: PageContext) { self.context = context }

    /// In a show, album, location, or among an artist's works; `nil` if it isn't there.
    func inObject(_ owner: FoundObject, _ id: String) throws -> Along? {
        let kind = owner.summary.kind, key = owner.summary.key
        let found = try context.store.neighbours(
            of: id, among: Owner(kind, owner.summary.id), for: context.face)
        guard let found else { return nil }
        return try along(
            found, label: kind == .artist ? "Works by the artist" : "In the \(kind.name)",
            title: owner.summary.name ?? owner.summary.id, href: context.href(owner.summary),
            section: .below(kind)
        ) { context.href(.member($0, of: Owner(kind, key))) }
    }

    /// In the list or search whose query the address has (`?in=`); `nil` without one.
    func inList(_ id: String) throws -> Along? {
        guard let text = context.target["in"], let items = FormBody.parse(text.utf8) else { return nil }
        let choice = ListChoice(items, for: context.face)
        let query = [NameValue("in", text)]
        func href(_ key: String) -> String { context.href(.object(.artwork, key), query) }
        if let words = choice.words {
            let (found, total) = try context.store.artworks(
                with: SearchWords(words), choice.query, by: choice.sort)
            guard let index = found.firstIndex(where: { UTF8Order.equal($0, id) }) else { return nil }
            let neighbours = Neighbours(
                previous: index > 0 ? found[index - 1] : nil,
                next: index + 1 < found.count ? found[index + 1] : nil, number: index + 1, total: total)
            return try along(
                neighbours, label: "In the search", title: "“\(LongText.cut(words, to: 60).text)”",
                href: context.href(.search, choice.items), section: .below(.artwork), href)
        }
        guard let found = try context.store.neighbours(of: id, in: choice.query) else { return nil }
        return try along(
            found, label: "In the list", title: "the list", href: context.href(.list(.artwork), choice.items),
            section: .below(.artwork), href)
    }

    private func along(
        _ found: Neighbours, label: String, title: String, href: String, section: PageSection,
        _ link: (String) -> String
    ) throws -> Along {
        func neighbour(_ id: String?) throws -> Along.Neighbour? {
            guard let id, let found = try context.store.shownSummary(.artwork, id, to: context.face) else {
                return nil
            }
            return Along.Neighbour(href: link(found.key), title: found.name ?? "Untitled")
        }
        let position =
            switch (found.number, found.total) {
            case (let number?, let total?): "\(CountText(number).digits) of \(CountText(total).digits) in"
            case (let number?, nil): "\(CountText(number).digits) in"
            default: "In"
            }
        return Along(
            label: label, position: position, context: Along.Neighbour(href: href, title: title),
            previous: try neighbour(found.previous), next: try neighbour(found.next), section: section)
    }
}
