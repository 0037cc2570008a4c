import Catalogue

/// A page of a list, or the whole list.
package struct SourcePage: Sendable {
    /// The entries, in the server's order. An id may be on a page twice.
    package var rows: [SourceRow] = []
    /// The number of objects in the whole list that the server states; `nil` if it states none.
    package var total: Int?
    /// The number of pages that the server states; `nil` if it states none.
    package var pages: Int?
    /// The number of entries that lack an id, or another column that the list requires. They make the list incomplete.
    package var skipped = 0
    /// The outer form of the answer.
    package var form: AnswerForm?
    /// The canonical text of the answer (`:page`).
    var text = ""

    package init(rows: [SourceRow] = [], total: Int? = nil, pages: Int? = nil, skipped: Int = 0) {
        (self.rows, self.total, self.pages, self.skipped) = (rows, total, pages, skipped)
    }
}

extension SourcePage {
    /// What the proof of the list needs.
    package var listPage: ListPage {
        ListPage(
            rows.map {
                ListPage.Entry($0.id, version: $0.version, changed: $0.changed, isGone: $0.isGone)
            }, skipped: skipped, total: total, pages: pages, form: form)
    }
}

/// An entry of a list.
package struct SourceRow: Sendable, Hashable {
    /// The server's id, as text.
    package var id: String
    /// Equal versions mean that the object is unchanged; `nil` if the list has none.
    package var version: String?
    /// When the object changed; `nil` if the list doesn't say.
    package var changed: String?
    /// The object as JSON text; `nil` if it must be requested.
    package var object: String?
    /// Whether the server says that the object doesn't exist any more.
    package var isGone = false

    package init(
        id: String, version: String? = nil, changed: String? = nil, object: String? = nil,
        isGone: Bool = false
    ) {
        (self.id, self.version, self.changed) = (id, version, changed)
        (self.object, self.isGone) = (object, isGone)
    }
}

/// What the server says about one object.
package enum SourceAnswer: Sendable, Hashable {
    case object(ReadObject)
    /// The server says that there is no such object.
    case absent

    /// The object; `nil` if it is absent.
    package var object: ReadObject? {
        if case .object(let object) = self { object } else { nil }
    }
}

/// An object as it was read, in the Partner API's form.
package struct ReadObject: Sendable, Hashable {
    package var id: String
    /// The object. Its artists contain `id`, `name` and `role`; ``artists`` has the rest.
    package var json: JSONObject
    /// The artists that it names, each once, for kinds that are gathered.
    package var artists: [JSONObject] = []
    /// The location that it names; `nil` if it names none.
    package var location: JSONObject?
    /// The ids of its artworks, in order and each once; `nil` if the description doesn't read them.
    package var members: [String]?
    /// The SHA-256, in hexadecimal, of all that was read, without volatile columns.
    package var hash: String
    /// The version in the object's row of a batch; `nil` if the row has none, and for objects that were read otherwise.
    package var version: String?
    /// The pictures that are not fetched because of their addresses.
    package var refusedPictures = RefusedPictures()
}

/// Pictures that are not fetched because of their addresses. `source check` reports them.
package struct RefusedPictures: Sendable, Hashable {
    /// The number of pictures on each host that the description doesn't list.
    package var hosts: [String: Int] = [:]
    /// The number of addresses that are not HTTP or HTTPS URLs.
    package var unusable = 0

    package init() {}

    /// Whether no picture was refused.
    package var isEmpty: Bool { hosts.isEmpty && unusable == 0 }
}
