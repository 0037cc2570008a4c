import Catalogue
import Hummingbird

/// A page of a mirror, which has a JSON form beside it.
protocol WebPage: RenderedPage {
    /// The same as JSON.
    var json: JSONObject { get throws }
}

/// A page: what it shows, gathered from the store, and the template that shows it.
protocol RenderedPage: Sendable {
    /// The name of the template.
    static var template: String { get }
    /// The title in the browser's window, before the museum's name.
    var title: String { get }
    /// One sentence for search engines and link previews; `nil` for none.
    var description: String? { get }
    /// The address without the context; `nil` for pages that are their own.
    var canonical: String? { get }
    /// The path of the picture for link previews; `nil` for none.
    var sharePicture: String? { get }
    /// The kind that the navigation marks as the current one.
    var section: PageSection? { get }
    /// The words of the search field.
    var words: String? { get }
    /// The addresses of the previous and next page.
    var neighbours: (previous: String?, next: String?) { get }
    /// What the template shows.
    var shown: Shown { get }
    var status: HTTPResponse.Status { get }
}

extension RenderedPage {
    var description: String? { nil }
    var canonical: String? { nil }
    var sharePicture: String? { nil }
    var section: PageSection? { nil }
    var words: String? { nil }
    var neighbours: (previous: String?, next: String?) { (nil, nil) }
    var status: HTTPResponse.Status { .ok }
}

/// An entry of the navigation. `isExact` is false on pages below it.
struct PageSection: Sendable, Hashable {
    enum Entry: Sendable, Hashable {
        case home
        case kind(Kind)
        case history, search
    }

    let entry: Entry
    let isExact: Bool

    static let home = PageSection(entry: .home, isExact: true)
    static let history = PageSection(entry: .history, isExact: true)
    static let search = PageSection(entry: .search, isExact: true)

    static func list(_ kind: Kind) -> PageSection { PageSection(entry: .kind(kind), isExact: true) }
    static func below(_ kind: Kind) -> PageSection { PageSection(entry: .kind(kind), isExact: false) }
}
