import Catalogue
import MirrorStore

/// Where a table's columns are among the values of a payload.
///
/// Found once for each kind of payload: thousands of objects of a kind are stored, and comparing names for each would
/// cost more than the rest of making its record.
struct ColumnOrder: Sendable {
    private enum Source: Sendable {
        /// One of ``Payload/values``.
        case value(Int)
        case id
        /// The payload has nothing of that name.
        case none
    }

    private let sources: [Source]

    /// - Parameter names: what the payload calls its values; `id` is always the payload's own.
    init(_ columns: [String], fieldNames names: [String]) {
        sources = columns.map { column in
            if let index = names.firstIndex(of: column) { return .value(index) }
            return column == "id" ? .id : .none
        }
    }

    /// The payload's values in the order of the columns.
    func values(_ payload: some Payload) -> [ColumnValue] {
        let values = payload.values
        return sources.map { source in
            switch source {
            case .value(let index): ColumnValue(values[index])
            case .id: .text(payload.id)
            case .none: .null
            }
        }
    }

    // MARK: - Tables

    static func of(_ kind: ObjectKind) -> ColumnOrder {
        switch kind {
        case .partner: partner
        case .user: user
        case .location: location
        case .artist: artist
        case .artwork: artwork
        case .album: album
        case .show: show
        case .document: document
        }
    }

    static let editionSet = ColumnOrder(EditionSetRecord.columns, fieldNames: EditionSet.fieldNames)
    static let image = ColumnOrder(ImageRecord.columns.map(\.name), fieldNames: ImageEntry.fieldNames)

    private static let partner = ColumnOrder(.partner, Partner.self)
    private static let user = ColumnOrder(.user, User.self)
    private static let location = ColumnOrder(.location, Location.self)
    private static let artist = ColumnOrder(.artist, Artist.self)
    private static let artwork = ColumnOrder(.artwork, Artwork.self)
    private static let album = ColumnOrder(.album, Album.self)
    private static let show = ColumnOrder(.show, Show.self)
    private static let document = ColumnOrder(.document, Document.self)

    private init(_ kind: ObjectKind, _ type: (some Payload).Type) {
        self.init(kind.columns.map(\.name), fieldNames: type.fieldNames)
    }
}

extension ColumnValue {
    init(_ value: FieldValue) {
        switch value {
        case .null: self = .null
        case .text(let text): self = .text(text)
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .bool(let flag): self = .integer(flag ? 1 : 0)
        }
    }
}
