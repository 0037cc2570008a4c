import Catalogue

/// The place of an artwork among others: in a show, an artist's works, an album, a location, or a list that was searched.
struct Along {
    struct Neighbour {
        let href: String
        let title: String
    }

    /// What the navigation is about, for screen readers: `In the show`.
    let label: String
    /// `4 of 10 in`; without the number of all if it is unknown.
    let position: String
    let context: Neighbour
    let previous: Neighbour?
    let next: Neighbour?
    let section: PageSection?

    private func link(_ neighbour: Neighbour) -> Shown {
        ["href": .string(neighbour.href), "text": .string(LongText.cut(neighbour.title, to: 80).text)]
    }

    var shown: Shown {
        [
            "label": .string(label), "position": .string(position), "href": .string(context.href),
            "text": .string(LongText.cut(context.title, to: 80).text), "previous": .part(previous.map(link)),
            "next": .part(next.map(link)),
        ]
    }

    var json: JSONObject {
        var json = JSONObject([("in", .string(context.href))])
        json["previous"] = .some(previous.map { .string($0.href) } ?? .null)
        json["next"] = .some(next.map { .string($0.href) } ?? .null)
        return json
    }
}
