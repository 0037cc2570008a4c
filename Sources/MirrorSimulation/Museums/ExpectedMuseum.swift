import Catalogue

/// What a mirror of a museum must have, derived from the catalogue behind the museum's server.
struct ExpectedMuseum {
    struct Artwork: Hashable {
        let title: String?
        let medium: String?
        /// The ids of the artists, in order.
        let artists: [String]
        /// A part of the address of each free picture, in order.
        let pictures: [String]
        /// The version in the museum's list; `nil` if it has none.
        let version: String?
    }

    struct Show: Hashable {
        let name: String?
        let artworks: [String]
        let version: String?
    }

    let museum: ImitatedMuseum.Name
    private(set) var artworks: [String: Artwork] = [:]
    /// Artworks that have pictures which are not free.
    private(set) var restricted: Set<String> = []
    /// The names of the artists, by id.
    private(set) var artists: [String: String] = [:]
    /// The locations that have artworks, by name, with the ids of the artworks.
    private(set) var places: [String: Set<String>] = [:]
    private(set) var shows: [String: Show] = [:]
    /// The names of the locations that the museum lists, by id; `nil` if locations are gathered from artworks.
    private(set) var locations: [String: String]?
    private(set) var versions: [MuseumObject: String] = [:]
    /// When each artwork changed last, in seconds since 1970.
    private(set) var changed: [String: Int] = [:]

    init(_ server: ImitatedMuseum) {
        museum = server.name
        let catalogue = server.catalogue, listsAll = museum == .artic
        for own in catalogue.ids(of: .artwork) {
            guard let record = ArtworkRecord(own, in: catalogue) else { continue }
            add(record, server.id(ofArtwork: own))
        }
        guard listsAll else { return }
        locations = [:]
        for kind in [Kind.artist, .show, .location] {
            for own in catalogue.ids(of: kind) {
                guard let entry = catalogue.entry(kind, own) else { continue }
                let id = String(entry.number), name = entry.object["name"]?.stringValue
                versions[MuseumObject(kind: kind, id: id)] = entry.modified.chicago
                switch kind {
                case .artist: artists[id] = name
                case .location: locations?[id] = name
                default:
                    let members = ImitatedCatalogue.ids(entry.object, "artwork_ids")
                        .filter { catalogue.entry(.artwork, $0) != nil }.map(server.id(ofArtwork:))
                    shows[id] = Show(name: name, artworks: members, version: entry.modified.chicago)
                }
            }
        }
    }

    private mutating func add(_ record: ArtworkRecord, _ id: String) {
        let version = version(record)
        artworks[id] = Artwork(
            title: record.text("title"), medium: record.text("medium"),
            artists: record.makers.map { artistID($0) },
            pictures: record.isPublicDomain ? pictures(record) : [], version: version)
        if !record.isPublicDomain, !record.pictures.isEmpty { restricted.insert(id) }
        versions[MuseumObject(kind: .artwork, id: id)] = version
        changed[id] = record.modified.seconds
        for maker in record.makers { artists[artistID(maker)] = maker.name }
        guard record.isOnView, let gallery = record.gallery else { return }
        places[museum == .met ? "Gallery \(gallery.name)" : gallery.name, default: []].insert(id)
    }

    private func version(_ record: ArtworkRecord) -> String? {
        switch museum {
        case .artic: record.modified.chicago
        case .cleveland: record.modified.microseconds26
        case .smk: record.modified.seconds20
        case .met, .lighthouse: nil
        }
    }

    private func artistID(_ maker: ArtworkRecord.Maker) -> String {
        switch museum {
        case .smk: "\(maker.number)_person"
        case .lighthouse: "P-\(maker.number)"
        case .met, .artic, .cleveland: String(maker.number)
        }
    }

    private func pictures(_ record: ArtworkRecord) -> [String] {
        switch museum {
        case .artic: record.pictures.map(ArticImitation.imageID)
        case .met, .cleveland, .smk, .lighthouse: record.pictures.map(\.id)
        }
    }

    // MARK: - Objects

    /// The kinds that the museum lists. The others are gathered from artworks.
    var listedKinds: [Kind] { museum == .artic ? [.artwork, .artist, .show, .location] : [.artwork] }

    /// Whether the museum has an object of a listed kind.
    func has(_ object: MuseumObject) -> Bool {
        switch object.kind {
        case .artwork: artworks[object.id] != nil
        case .artist: artists[object.id] != nil
        case .show: shows[object.id] != nil
        case .location: locations?[object.id] != nil
        default: false
        }
    }
}
