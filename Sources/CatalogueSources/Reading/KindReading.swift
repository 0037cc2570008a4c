import Catalogue

/// The queries of one kind, compiled, with their columns.
struct KindReading: Sendable {
    let description: KindDescription
    let row: ColumnPlan
    let artists: ColumnPlan?
    let images: ColumnPlan?
    /// The path of the object in an answer; `nil` for the whole answer.
    let root: AnswerPath?
    /// The path of the object as it is written in the description.
    var rootText: String { description.object.root ?? "$" }
    /// Whether the rows of the list contain objects.
    let listHasObjects: Bool
    /// Whether a query for objects reads `:page`, so that the text of the whole answer is needed.
    let readsPage: Bool

    var kind: Kind { description.kind }
    var object: ObjectDescription { description.object }
    /// Whether entries of the list must contain the time of their change.
    var needsChanged: Bool { description.list?.needsChanged ?? false }

    /// Columns of `row` that the reader takes.
    static let rowSpecial: Set<String> = ["id", "location_id", "location"]
    /// Columns of `artists` that the reader takes.
    static let artistSpecial: Set<String> = ["id", "role"]
    /// Columns of `images` that the reader takes.
    static let imageSpecial: Set<String> = ["id", "url", "iiif", "width", "height"]
}

extension ListDescription {
    /// Whether entries must contain the time of their change.
    var needsChanged: Bool { isNewestFirst || since == .untilOlder }
}
