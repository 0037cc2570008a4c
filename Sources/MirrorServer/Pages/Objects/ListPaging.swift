import Catalogue
import MirrorStore

/// The links to the previous and next page of a list.
enum ListPaging {
    /// The paths of the pages beside a page of a list.
    ///
    /// - Parameters:
    ///   - path: the list's own path.
    ///   - query: its filters and order.
    static func paths(
        previous: PageKey?, next: PageKey?, _ path: String, _ query: [NameValue] = []
    ) -> (previous: String?, next: String?) {
        func link(_ name: String, _ key: PageKey?) -> String? {
            key.map { "\(path)?" + PageQuery.encode(query + [NameValue(name, $0.text)]) }
        }
        return (link("before", previous), link("after", next))
    }

    /// What the template shows; `nil` if all artworks are on one page.
    ///
    /// - Parameters:
    ///   - count: the number of objects on the page.
    ///   - total: the number of all; `nil` if it is unknown.
    ///   - start: the number of the first on the page; `nil` if it is unknown.
    static func shown(
        count: Int, total: Int?, of kind: Kind = .artwork, start: Int?,
        _ paths: (previous: String?, next: String?)
    ) -> Shown? {
        guard paths.previous != nil || paths.next != nil else { return nil }
        let range = start.map { "\(CountText($0).digits)–\(CountText($0 + count - 1).digits)" }
        let all = total.map { total in
            range == nil ? "\(CountText(total).digits) \(kind.plural)" : " of \(CountText(total).digits)"
        }
        return shown(text: (range ?? "") + (all ?? ""), paths)
    }

    static func shown(text: String, _ paths: (previous: String?, next: String?)) -> Shown {
        [
            "text": .string(text),
            "previous": .part(paths.previous.map { ["href": .string($0), "text": "Previous"] }),
            "next": .part(paths.next.map { ["href": .string($0), "text": "Next"] }),
            "both": .flag(paths.previous != nil && paths.next != nil),
        ]
    }
}

extension PagePosition {
    /// The position in the query of a list of an object's artworks. A forged one is the first page.
    init(_ target: PageTarget, membersOf owner: Owner) {
        self.init(target) { PageKey($0, membersOf: owner.kind) }
    }

    /// The position in the query of a list of artworks.
    init(_ target: PageTarget, in sort: ArtworkSort) {
        self.init(target) { PageKey($0, in: sort) }
    }

    /// The position in the query of a list of names.
    init(_ target: PageTarget, namesOf kind: Kind) {
        self.init(target) { PageKey($0, namesOf: kind) }
    }

    private init(_ target: PageTarget, _ read: (String) -> PageKey?) {
        if let key = target["after"].flatMap(read) {
            self = .after(key)
        } else if let key = target["before"].flatMap(read) {
            self = .before(key)
        } else {
            self = .first
        }
    }
}
