import Catalogue

extension FakePartner.State {
    /// Adds or replaces an object, and adds it to the partner's own list.
    ///
    /// - Parameters:
    ///   - kind: A kind that a partner lists.
    ///   - id: The object's id.
    ///   - body: The object as JSON, including its id.
    public mutating func put(_ kind: Kind, _ id: String, _ body: String) {
        objects[FakePartner.path(kind.plural, id)] = body
        if lists["/partner/p/\(kind.plural)"]?.contains(id) != true {
            lists["/partner/p/\(kind.plural)", default: []].append(id)
        }
    }

    /// Adds or replaces an artwork.
    ///
    /// - Parameters:
    ///   - id: The artwork's id.
    ///   - title: The title. Default: `Work` and the id.
    ///   - artist: The id of its artist. Default: nil, none.
    ///   - image: The id of its picture. Default: nil, none. Add the picture's bytes to ``files``, under the path
    ///     `/artwork/ID/image/IMAGE/larger.jpg`.
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

    /// Adds or replaces an album, with the ids of its artworks in order.
    public mutating func album(_ id: String, _ artworks: [String]) {
        put(.album, id, #"{"id":"\#(id)","name":"Album \#(id)"}"#)
        lists["/partner/p/album/\(id)/artworks"] = artworks
    }

    /// Adds or replaces a location, with the ids of its artworks.
    ///
    /// All locations share one list of artworks: the one that was given last.
    public mutating func location(_ id: String, _ artworks: [String]) {
        put(.location, id, #"{"id":"\#(id)","name":"Room \#(id)"}"#)
        lists["/partner/p/artworks/all?size=all"] = artworks
    }

    /// Adds or replaces a show, with the ids of its artworks in order.
    public mutating func show(_ id: String, _ artworks: [String]) {
        put(.show, id, #"{"id":"\#(id)","name":"Show \#(id)"}"#)
        lists["/partner/p/show/\(id)/artworks"] = artworks
        lists["/partner/p/show/\(id)/documents"] = lists["/partner/p/show/\(id)/documents"] ?? []
    }

    /// Removes an object, also from the partner's own list.
    public mutating func remove(_ kind: Kind, _ id: String) {
        objects[FakePartner.path(kind.plural, id)] = nil
        lists["/partner/p/\(kind.plural)"]?.removeAll { $0 == id }
    }

    /// Reports the latest change of an object through `since` and `events`, if the server offers them.
    ///
    /// Call it after the object was added, replaced or removed. Without the call, a sync by date doesn't see the change,
    /// as with a server that fails to report it.
    ///
    /// - Parameters:
    ///   - kind: The object's kind.
    ///   - id: The object's id.
    ///   - time: When it changed, in the server's time, such as `2026-11-21T10:00:00Z`.
    public mutating func report(_ kind: Kind, _ id: String, at time: String) {
        let isThere = objects[FakePartner.path(kind.plural, id)] != nil
        touch(kind.plural, id, at: time)
        addEvent(kind.plural, id, isThere ? 2 : 0)
    }

    /// The URL of the request for the full list of a kind, for ``overrides``.
    public static func listURL(_ kind: Kind) -> String {
        "/partner/p/\(kind.plural)?ids=1\(kind == .location ? "&private=true" : "")&size=all"
    }

    /// Adds objects from JSON Lines.
    ///
    /// Each line is one object as in the API's answers, including its id. Blank lines are skipped. The `artwork_ids` of an
    /// album or a show become its list of artworks, as in the files of `mirror import`.
    ///
    /// - Throws: `JSONError` for a line that isn't JSON; `PayloadError` for an object without a usable id.
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
