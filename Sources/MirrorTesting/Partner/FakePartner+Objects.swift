import Catalogue

extension FakePartner.State {
    /// Adds or replaces an object, and names it in the partner's list.
    ///
    /// - Parameters:
    ///   - kind: one that a partner lists.
    ///   - body: JSON, with the id in it.
    public mutating func put(_ kind: Kind, _ id: String, _ body: String) {
        objects[FakePartner.path(kind.plural, id)] = body
        if lists["/partner/p/\(kind.plural)"]?.contains(id) != true {
            lists["/partner/p/\(kind.plural)", default: []].append(id)
        }
    }

    /// Adds or replaces an artwork, with one picture if it has an `image`: an id, whose bytes go into ``files`` as
    /// `/artwork/ID/image/IMAGE/larger.jpg`.
    public mutating func artwork(
        _ id: String, title: String? = nil, artist: String? = nil, image: String? = nil
    ) {
        let images =
            image.map {
                #","images":[{"id":"\#($0)","image_url":"artwork/\#(id)/image/\#($0)/larger.jpg","image_versions":["larger"]}]"#
            } ?? ""
        let artists = artist.map { #","artists":[{"id":"\#($0)"}]"# } ?? ""
        put(.artwork, id, #"{"id":"\#(id)","title":"\#(title ?? "Work \(id)")"\#(artists)\#(images)}"#)
    }

    /// Adds or replaces an artist without documents.
    public mutating func artist(_ id: String) {
        put(.artist, id, #"{"id":"\#(id)","name":"Artist \#(id)"}"#)
        lists["/partner/p/artist/\(id)/documents"] = lists["/partner/p/artist/\(id)/documents"] ?? []
    }

    /// Adds or replaces an album, with its artworks in order.
    public mutating func album(_ id: String, _ artworks: [String]) {
        put(.album, id, #"{"id":"\#(id)","name":"Album \#(id)"}"#)
        lists["/partner/p/album/\(id)/artworks"] = artworks
    }

    /// Adds or replaces a location, with the artworks there. All locations have those of the one that was put last.
    public mutating func location(_ id: String, _ artworks: [String]) {
        put(.location, id, #"{"id":"\#(id)","name":"Room \#(id)"}"#)
        lists["/partner/p/artworks/all?size=all"] = artworks
    }

    /// Adds or replaces a show, with its artworks in order.
    public mutating func show(_ id: String, _ artworks: [String]) {
        put(.show, id, #"{"id":"\#(id)","name":"Show \#(id)"}"#)
        lists["/partner/p/show/\(id)/artworks"] = artworks
        lists["/partner/p/show/\(id)/documents"] = lists["/partner/p/show/\(id)/documents"] ?? []
    }

    /// Removes an object, and its name from the partner's list.
    public mutating func remove(_ kind: Kind, _ id: String) {
        objects[FakePartner.path(kind.plural, id)] = nil
        lists["/partner/p/\(kind.plural)"]?.removeAll { $0 == id }
    }

    /// Reports the latest change of an object by `since` and `events`, where the server offers them: call it once the object is
    /// put or removed. Without it a sync by date doesn't see the change, as on a server that fails to report it.
    ///
    /// - Parameter time: when it changed, by the server's clock: `2026-11-21T10:00:00Z`.
    public mutating func report(_ kind: Kind, _ id: String, at time: String) {
        let isThere = objects[FakePartner.path(kind.plural, id)] != nil
        touch(kind.plural, id, at: time)
        tell(kind.plural, id, isThere ? 2 : 0)
    }

    /// The URL by which the whole list of a kind is requested, for ``overrides``.
    public static func listURL(_ kind: Kind) -> String {
        "/partner/p/\(kind.plural)?ids=1\(kind == .location ? "&private=true" : "")&size=all"
    }

    /// Adds objects from JSON Lines: one object a line as the API answers it, with its id in it; blank lines are passed over. An
    /// album's or show's `artwork_ids` become its list of artworks, as in the files of `mirror import`.
    ///
    /// - Throws: `JSONError` for a line that is not JSON, `PayloadError` for one without a usable id.
    public mutating func add(_ kind: Kind, jsonLines: String) throws {
        for line in jsonLines.split(whereSeparator: \.isNewline) where !line.allSatisfy(\.isWhitespace) {
            let value = try JSONValue(parsing: String(line))
            let id = try ListEntry.id(of: value)
            var object = value.objectValue ?? [:]
            let artworks = object["artwork_ids"]?.arrayValue?.compactMap(\.stringValue)
            object["artwork_ids"] = nil
            switch kind {
            case .artist: artist(id)
            case .album: album(id, artworks ?? [])
            case .show: show(id, artworks ?? [])
            case .location: location(id, lists["/partner/p/artworks/all?size=all"] ?? [])
            default: break
            }
            put(kind, id, object.canonicalText)
        }
    }
}
