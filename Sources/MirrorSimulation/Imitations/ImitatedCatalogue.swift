import Catalogue
import MirrorSync

/// The catalogue behind an imitation: objects in the JSON Lines form, each with the time of its last change.
///
/// It can be changed between two requests. Objects that name a changed object change with it, as in a museum's records: an
/// artwork changes with its artists, its location and its shows.
package struct ImitatedCatalogue: Sendable {
    package enum Edit: Sendable {
        /// Adds an object, or replaces the one with its id.
        case put(Kind, JSONObject)
        case remove(Kind, id: String)
    }

    struct Entry: Sendable {
        var object: JSONObject
        var number: Int
        /// When the museum changed the object.
        var modified: Timestamp
        /// When the server's copy was written last, which may be later than the museum's change.
        var restamped: Timestamp
    }

    enum Order: Hashable {
        case number
        /// Latest copies first; those of one time in an order of their own.
        case latestFirst
        /// An order without a meaning, always the same one.
        case hashed
    }

    /// The kinds that museums list.
    package static let kinds: [Kind] = [.artwork, .artist, .show, .location]

    private var entries: [Kind: [String: Entry]] = [:]
    private var idsByNumber: [Kind: [Int: String]] = [:]
    // What is computed from the entries when it is first needed.
    private var orders: [Kind: [Order: [String]]] = [:]
    private var showsByArtwork: [String: [String]]?
    /// What searches found since the last change, by a name that an imitation gives to each search.
    var found: [String: [String]] = [:]

    package init() {}

    /// Reads a catalogue. The times of change are spread over the year 2025.
    ///
    /// - Throws: `SyncError` for files that can't be read or have a line that is no object, and for a catalogue in which two
    ///   ids get the same number.
    package init(_ files: CatalogueFiles) throws {
        for kind in Self.kinds {
            let unusable = try files.lines(of: kind.catalogueFile) { object, _ in
                guard let id = object["id"]?.idText else { return }
                // The time of a file is no part of a museum's record.
                var object = object
                object["file_changed_at"] = nil
                let second = MuseumNumber.hash(id) % (365 * 86_400)
                let time = Timestamp(seconds: Timestamp(year: 2025).seconds + Int(second))
                insert(kind, id, object, at: time)
            }
            if let unusable, unusable.count > 0 {
                throw SyncError(
                    .catalogue, "\(kind.catalogueFile) has lines that are no objects. Correct them first.")
            }
            guard idsByNumber[kind]?.count == entries[kind]?.count else {
                throw SyncError(
                    .catalogue, "Two ids of \(kind.catalogueFile) get the same number. Change one of them.")
            }
        }
    }

    // MARK: - Reading

    package func ids(of kind: Kind) -> Set<String> { Set(entries[kind, default: [:]].keys) }
    package func count(of kind: Kind) -> Int { entries[kind]?.count ?? 0 }

    package func object(_ kind: Kind, _ id: String) -> JSONObject? { entries[kind]?[id]?.object }

    func entry(_ kind: Kind, _ id: String) -> Entry? { entries[kind]?[id] }

    /// The id of an object that the museum knows by a number.
    func id(_ kind: Kind, number: Int) -> String? { idsByNumber[kind]?[number] }

    /// The ids of a kind in an order, which is kept until the next change.
    mutating func ids(of kind: Kind, by order: Order) -> [String] {
        if let ids = orders[kind]?[order] { return ids }
        let keys = entries[kind, default: [:]].map { id, entry in
            let place = MuseumNumber.hash(id)
            return switch order {
            case .number: (entry.number, UInt64(0), id)
            case .latestFirst: (-entry.restamped.seconds, place, id)
            case .hashed: (0, place, id)
            }
        }
        let ids = keys.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
        orders[kind, default: [:]][order] = ids
        return ids
    }

    /// The ids of the shows of an artwork, in the order of their numbers.
    mutating func shows(ofArtwork id: String) -> [String] {
        if showsByArtwork == nil {
            var shows: [String: [String]] = [:]
            for show in ids(of: .show, by: .number) {
                for artwork in Self.ids(object(.show, show), "artwork_ids") {
                    shows[artwork, default: []].append(show)
                }
            }
            showsByArtwork = shows
        }
        return showsByArtwork?[id] ?? []
    }

    static func ids(_ object: JSONObject?, _ field: String) -> [String] {
        object?[field]?.arrayValue?.compactMap(\.idText) ?? []
    }

    // MARK: - Changing

    /// Makes changes at a time. An object that is put unchanged keeps its time.
    package mutating func apply(_ edits: [Edit], at time: Timestamp) {
        var changed: [Kind: Set<String>] = [:], shownArtworks: Set<String> = []
        for edit in edits {
            let (kind, id, object): (Kind, String?, JSONObject?) =
                switch edit {
                case .put(let kind, let object): (kind, object["id"]?.idText, object)
                case .remove(let kind, let id): (kind, id, nil)
                }
            guard let id, self.object(kind, id) != object else { continue }
            changed[kind, default: []].insert(id)
            if kind == .show {
                for show in [self.object(kind, id), object] {
                    shownArtworks.formUnion(Self.ids(show, "artwork_ids"))
                }
            }
            if let object {
                insert(kind, id, object, at: time)
            } else if let entry = entries[kind]?.removeValue(forKey: id) {
                idsByNumber[kind]?[entry.number] = nil
            }
        }
        for (id, entry) in entries[.artwork, default: [:]] {
            let location = entry.object["location_id"]?.idText
            guard
                shownArtworks.contains(id)
                    || location.map({ changed[.location]?.contains($0) == true }) == true
                    || changed[.artist].map({ !$0.isDisjoint(with: Self.ids(entry.object, "artist_ids")) })
                        == true
            else { continue }
            stamp(.artwork, id, at: time)
            entries[.artwork]?[id]?.modified = time
        }
        forget()
    }

    /// Changes what is needed to hold the same objects as another catalogue.
    package mutating func become(_ other: ImitatedCatalogue, at time: Timestamp) {
        var edits: [Edit] = []
        for kind in Self.kinds {
            edits += ids(of: kind).subtracting(other.ids(of: kind)).map { .remove(kind, id: $0) }
            edits += other.entries[kind, default: [:]].values.map { .put(kind, $0.object) }
        }
        apply(edits, at: time)
    }

    /// Sets the time of the server's copy, as a server does that writes everything again. The object stays the same.
    package mutating func stamp(_ kind: Kind, _ id: String, at time: Timestamp) {
        entries[kind]?[id]?.restamped = time
        forget()
    }

    private mutating func insert(_ kind: Kind, _ id: String, _ object: JSONObject, at time: Timestamp) {
        let number = MuseumNumber.of(id)
        entries[kind, default: [:]][id] = Entry(
            object: object, number: number, modified: time, restamped: time)
        idsByNumber[kind, default: [:]][number] = id
    }

    private mutating func forget() {
        orders = [:]
        showsByArtwork = nil
        found = [:]
    }
}
