import Catalogue
import Foundation
import MirrorHTTP
import MirrorSimulation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// A mirror of an imitated museum, by the built-in description.
struct MuseumMirror {
    let museum: ImitatedMuseum
    let mirror: DescribedMirror
    /// What the museum holds at present.
    var catalogue: MuseumCatalogue

    /// The museums with a built-in description.
    static let museums: [ImitatedMuseum.Name] = [.met, .artic, .cleveland, .smk]

    init(
        _ name: ImitatedMuseum.Name, _ catalogue: MuseumCatalogue = .small,
        faults: Set<ImitationFault> = []
    ) throws {
        let clock = DescribedMirror.clock()
        museum = ImitatedMuseum(
            name, try catalogue.files(), faults: faults, now: { clock.now.timeIntervalSince1970 })
        mirror = try DescribedMirror(name.rawValue, clock: clock, museum)
        self.catalogue = catalogue
    }

    /// A mirror that was synced a day ago.
    static func synced(_ name: ImitatedMuseum.Name) async throws -> MuseumMirror {
        let museum = try MuseumMirror(name)
        try await museum.sync()
        museum.mirror.pass(days: 1)
        return museum
    }

    var name: ImitatedMuseum.Name { museum.name }

    @discardableResult
    func sync(_ change: (inout SyncOptions) -> Void = { _ in }) async throws -> SyncSummary {
        try await mirror.sync(change)
    }

    /// Changes a work of the catalogue, or adds one.
    mutating func put(_ work: MuseumCatalogue.Work) {
        catalogue.works.removeAll { $0.id == work.id }
        catalogue.works.append(work)
        museum.apply([.put(.artwork, work.json)])
    }

    mutating func remove(_ id: String) {
        catalogue.works.removeAll { $0.id == id }
        museum.apply([.remove(.artwork, id: id)])
    }

    /// Gives work 1 another title, and adds work 7. An hour passes.
    mutating func changeAndAddWork() throws {
        var changed = try work("1")
        changed.title = "A Better Chair"
        put(changed)
        put(MuseumCatalogue.Work(id: "7", title: "New", artists: ["11"]))
        mirror.pass(hours: 1)
    }

    /// Withdraws the licence of a work's pictures. An hour passes.
    mutating func withdrawLicence(of id: String) throws {
        var work = try work(id)
        work.isFree = false
        put(work)
        mirror.pass(hours: 1)
    }

    func work(_ id: String) throws -> MuseumCatalogue.Work {
        try #require(catalogue.works.first { $0.id == id })
    }

    // MARK: - Requests

    /// The requests of the API since the last call, each as its part below the base; and those of pictures.
    func requests() -> (api: [String], pictures: [String]) {
        let urls = mirror.network.take().map(\.url)
        return (
            urls.filter { $0.hasPrefix(name.base) }.map { String($0.dropFirst(name.base.count)) },
            urls.filter { $0.hasPrefix("https://\(name.pictureHost)/") }
        )
    }

    /// The paths of the lists, in the order in which they are read.
    var listPaths: [String] {
        switch name {
        case .met: ["/objects"]
        case .artic: ["/galleries", "/agents", "/artworks", "/exhibitions"]
        case .cleveland: ["/artworks/"]
        case .smk: ["/art/search/"]
        case .lighthouse: ["/works"]
        }
    }

    /// The path of a request, with `thin` after the path of a list of ids and versions.
    ///
    /// SOURCES.md F: "A thin list (`fields=object_number,modified`) is proven." Cleveland and the AIC have `fields`, too.
    static func summary(_ target: String) -> String {
        let thin = ["id,source_updated_at,updated_at", "id,updated_at", "object_number,modified"]
        let isThin = thin.contains { "\(target)&".contains("fields=\($0)&") }
        return target.prefix { $0 != "?" } + (isThin ? " thin" : "")
    }

    /// The request of one artwork by its own URL, without the items of its query that choose fields.
    func ownURL(_ id: String) -> String {
        let id = museum.id(ofArtwork: id)
        return switch name {
        case .met: "/objects/\(id)"
        // "numbers contain spaces: encode"
        case .smk: "/art/?object_number=\(id.replacing(" ", with: "%20"))"
        case .artic, .cleveland: "/artworks/\(id)"
        case .lighthouse: "/works/\(id)"
        }
    }

    func isOwnURL(_ target: String, of id: String) -> Bool {
        let url = ownURL(id)
        return target == url || target.hasPrefix("\(url)?") || target.hasPrefix("\(url)&")
    }

    /// The number of requests of artworks by their own URLs.
    func ownRequests(_ targets: [String]) -> Int {
        let ids = catalogue.works.map(\.id)
        return targets.filter { target in ids.contains { isOwnURL(target, of: $0) } }.count
    }

    // MARK: - Contents

    /// What a mirror has, with names in place of ids where museums give other ids.
    struct Contents: Hashable {
        struct Work: Hashable {
            var title: String?
            var artists: [String]
            var room: String?
            var pictures: Int
            var files: Int
        }

        var works: [String: Work] = [:]
        var artists: [String: String] = [:]
        var rooms: Set<String> = []
        var shows: [String: [String]] = [:]
    }

    func artistID(_ id: String) -> String { name == .smk ? "\(id)_person" : id }

    private func room(_ id: String?) -> String? {
        // "`GalleryNumber` capital G, non-empty = on view": the museum has no name for it.
        id.flatMap { MuseumCatalogue.rooms[$0] }.map { name == .met ? "Gallery \($0)" : $0 }
    }

    /// What the mirror must have after a complete sync.
    ///
    /// - Parameter media: whether pictures were fetched.
    func expected(media: Bool = true) -> Contents {
        var expected = Contents()
        for work in catalogue.works {
            // Licences: "`isPublicDomain` (CC0) for the record's images"; "`is_public_domain`"; "`share_license_status` =
            // `CC0` or `Copyrighted`"; "`public_domain` and `rights` (URL)".
            let pictures = work.isFree ? work.pictures : 0
            expected.works[museum.id(ofArtwork: work.id)] = Contents.Work(
                title: work.title, artists: work.artists.compactMap { MuseumCatalogue.artists[$0] },
                room: work.isOnView ? room(work.room) : nil, pictures: pictures, files: media ? pictures : 0)
        }
        let isListed = name == .artic
        let named = Set(catalogue.works.flatMap(\.artists))
        for (id, artist) in MuseumCatalogue.artists where isListed || named.contains(id) {
            expected.artists[artistID(id)] = artist
        }
        let rooms =
            isListed
            ? Array(MuseumCatalogue.rooms.keys) : catalogue.works.filter(\.isOnView).compactMap(\.room)
        expected.rooms = Set(rooms.compactMap { room($0) })
        if isListed {
            let ids = Set(catalogue.works.map(\.id))
            expected.shows = MuseumCatalogue.shows.mapValues { $0.filter(ids.contains) }
        }
        return expected
    }

    /// What the mirror has.
    func contents() throws -> Contents {
        try mirror.read { store in
            var contents = Contents()
            for artist in try store.fetchAll(Artist.self) { contents.artists[artist.id] = artist.name ?? "" }
            for room in try store.fetchAll(Location.self) { contents.rooms.insert(room.name ?? "") }
            for show in try store.fetchAll(Show.self) {
                contents.shows[show.name ?? ""] = try store.artworks(of: Owner(.show, show.id)).map(\.id)
            }
            for work in try store.fetchAll(Artwork.self) {
                let room = try store.snapshot { try $0.location(ofArtwork: work.id) }
                let pictures = try store.pictures(of: Owner(.artwork, work.id))
                contents.works[work.id] = Contents.Work(
                    title: work.title, artists: work.artistIDs.map { contents.artists[$0] ?? $0 },
                    room: try room.flatMap { try store.fetch(Location.self, id: $0)?.name },
                    pictures: pictures.count, files: pictures.filter { $0.largest != nil }.count)
            }
            return contents
        }
    }
}

extension ImitatedMuseum.Name {
    /// Whether the museum offers pictures in the format `medium`.
    var offersMedium: Bool { self == .artic || self == .smk }
}
