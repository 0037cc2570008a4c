import Catalogue

/// How the objects of one kind are listed, requested and read.
package struct KindDescription: Sendable {
    package var kind: Kind
    /// The list of all objects; `nil` if there is none, so that objects are only requested by their ids.
    package var list: ListDescription?
    package var object: ObjectDescription
    package var gone = DeletionDescription()

    package init(_ kind: Kind, list: ListDescription?, object: ObjectDescription) {
        (self.kind, self.list, self.object) = (kind, list, object)
    }
}

/// How a list is requested and read.
package struct ListDescription: Sendable, Hashable {
    /// How the list is divided into answers.
    package enum Form: String, Sendable, Hashable, CaseIterable {
        /// One answer.
        case whole
        /// Pages with numbers: `{page}`.
        case page
        /// Pages that begin at a number of objects: `{offset}`.
        case offset
    }

    /// How changed objects are found without reading the whole list.
    package enum Since: Sendable, Hashable {
        /// The server selects by time. `overlap` is subtracted from the time of the last sync.
        case parameter(get: URLTemplate, overlap: Duration)
        /// The list is read from the top until an entry that is older than the last sync (`until_older`).
        case untilOlder
    }

    package var form: Form
    package var get: URLTemplate
    /// The number of the first page: 1 or 0.
    package var first = 1
    /// The number of objects of a full page; required for `page` and `offset`.
    package var size: Int?
    /// The entries: `id`, and possibly `version`, `changed`, `object`, `gone`.
    package var rows: SourceQuery
    /// The number of objects that the server states.
    package var total: SourceQuery?
    /// The number of pages that the server states.
    package var pages: SourceQuery?
    /// The number of objects beyond which the server's list ends; `nil` if it has no such limit.
    package var window: Int?
    /// Whether the objects that changed last come first (`order: changed_desc`).
    package var isNewestFirst = false
    /// Query items that replace those of the same name in `get`, for a list of ids and versions; empty if there is no such list.
    package var thin: [QueryItem] = []
    package var since: Since?

    /// A query item of a URL, percent-encoded; the value may contain placeholders.
    package struct QueryItem: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    package init(form: Form, get: URLTemplate, rows: SourceQuery) {
        (self.form, self.get, self.rows) = (form, get, rows)
    }
}

/// How one object is requested and read.
package struct ObjectDescription: Sendable, Hashable {
    /// Contains `{id}`.
    package var get: URLTemplate
    package var batch: Batch?
    /// The id that the answer contains.
    package var identity: SourceQuery
    package var absent = AbsenceDescription()
    /// The path of the object in an answer, such as `$.data`; `nil` for the whole answer.
    package var root: String?
    /// The object's columns.
    package var row: SourceQuery
    package var artists: SourceQuery?
    package var images: SourceQuery?
    /// The ids of the artworks of a show, album or location.
    package var members: SourceQuery?
    /// Columns that change although the object doesn't.
    package var volatile: [String] = []

    /// Several objects in one answer.
    package struct Batch: Sendable, Hashable {
        /// Contains `{ids}`.
        package var get: URLTemplate
        /// The maximum number of ids.
        package var size: Int
        /// `id` and `object`; `nil` for the rows of the list.
        package var rows: SourceQuery?

        package init(get: URLTemplate, size: Int, rows: SourceQuery? = nil) {
            (self.get, self.size, self.rows) = (get, size, rows)
        }
    }

    package init(get: URLTemplate, identity: SourceQuery, row: SourceQuery) {
        (self.get, self.identity, self.row) = (get, identity, row)
    }
}

/// Which answers to the request of one object mean that it doesn't exist.
package struct AbsenceDescription: Sendable, Hashable {
    package var statuses: Set<Int> = [404, 410]
    /// True for an answer with status 200 that means the same.
    package var condition: SourceQuery?

    package init() {}
}

/// When an object is removed from the mirror.
package struct DeletionDescription: Sendable, Hashable {
    package enum Rule: String, Sendable, Hashable, CaseIterable {
        /// When the server says that it is gone.
        case signal
        /// When complete lists lack it.
        case absence
        /// Never.
        case never
    }

    package var rule = Rule.never
    /// The number of complete lists that must lack the object.
    package var lists = 3
    /// The minimum time from the first of these lists to the last.
    package var apart: Duration = .seconds(2 * 86_400)

    package init() {}
}
