import Catalogue
import MirrorStore

/// The expected content of a mirror, derived from the server's catalogue by the rules of the API.
struct ExpectedMirror {
    /// The objects in the server's lists, without pruned shows.
    private(set) var listed: [Kind: Set<String>] = [:]
    /// Objects that no list contains, but a stored object refers to, and that the server has.
    private(set) var linked: [Kind: Set<String>] = [:]
    /// Objects that a stored object refers to, and that the server doesn't have.
    private(set) var ghosts: [Kind: Set<String>] = [:]

    private let catalogue: PartnerCatalogue

    /// Derives the content.
    ///
    /// - Parameters:
    ///   - endedBefore: shows that ended before this time (seconds since 1970) are pruned; `nil` keeps all.
    ///   - extraArtworks: artworks that are referred to only locally: in an album whose change the server refused, or by
    ///     a note.
    init(_ catalogue: PartnerCatalogue, endedBefore: Double?, extraArtworks: [String] = []) {
        self.catalogue = catalogue
        var unvisited: [(Kind, String)] = []
        for kind in Kinds.standard.listed {
            let ids = catalogue.ids(kind).filter { id in
                guard kind == .show, let endedBefore, let show = catalogue.body(.show, id), let end = show.end
                else {
                    return true
                }
                return show.isRunning || Double(end) >= endedBefore
            }
            listed[kind] = Set(ids)
            unvisited += ids.map { (kind, $0) }
        }
        for artwork in extraArtworks { addReference(.artwork, artwork, &unvisited) }
        while let (kind, id) = unvisited.popLast() {
            for (other, name) in references(of: kind, id) { addReference(other, name, &unvisited) }
        }
    }

    private mutating func addReference(_ kind: Kind, _ id: String, _ unvisited: inout [(Kind, String)]) {
        guard !isKnown(kind, id) else { return }
        if catalogue.body(kind, id) != nil {
            linked[kind, default: []].insert(id)
            unvisited.append((kind, id))
        } else {
            ghosts[kind, default: []].insert(id)
        }
    }

    private func isKnown(_ kind: Kind, _ id: String) -> Bool {
        [listed, linked, ghosts].contains { $0[kind]?.contains(id) == true }
    }

    private func references(of kind: Kind, _ id: String) -> [(Kind, String)] {
        guard let body = catalogue.body(kind, id) else { return [] }
        var found = body.artists.map { (Kind.artist, $0) }
        if let location = body.location { found.append((.location, location)) }
        if kind.hasMembers {
            found += members(kind, id).map { (Kind.artwork, $0) }
        }
        return found
    }

    func members(_ kind: Kind, _ id: String) -> [String] {
        catalogue.lists[PartnerCatalogue.artworks(kind, id)] ?? []
    }

    /// The ids of all complete objects of a kind.
    func ids(_ kind: Kind) -> [String] {
        (listed[kind] ?? []).union(linked[kind] ?? []).sorted()
    }
}
