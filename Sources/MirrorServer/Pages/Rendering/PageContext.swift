import Catalogue
import MirrorStore

/// What a page needs to gather what it shows: the mirror, the face, and the addresses of other pages.
struct PageContext {
    let mirror: ServedMirror
    let frame: PageFrame
    let target: PageTarget
    let now: Timestamp

    var store: CatalogueStore { mirror.store }
    var face: Face { frame.face }

    /// The path and query of another page of this mirror.
    func href(_ address: PageAddress, _ query: [NameValue] = []) -> String {
        frame.base + address.path + (query.isEmpty ? "" : "?" + PageQuery.encode(query))
    }

    /// The path of an object's page: by its slug, if that leads to it, or else by its id.
    func href(_ summary: ObjectSummary) -> String {
        href(.object(summary.kind, summary.key))
    }

    /// The path of a picture's file.
    func href(_ file: StoredFile) -> String { href(.picture(file.hash)) }

    /// The path of the JSON form of the requested page, with its query, unless that makes it too long to be repeated.
    var jsonPath: String {
        let path = PageTarget.pathOnly(target.raw), query = target.queryText
        let bare = path.hasSuffix("/") ? path.dropLast() : path
        let json = String(bare) + PageAddress.suffix
        let isShort = json.utf8.count + query.utf8.count <= PageTarget.longestLink - Self.aroundLink
        return isShort ? json + query : json
    }

    /// More bytes than a header with a link has beside the link.
    private static let aroundLink = 100

    /// The object with an id or slug, if this face may see it; `nil` if there is none.
    func find(_ kind: Kind, _ key: String) throws -> FoundObject? {
        guard let (summary, json) = try store.findAlone(kind, key) else { return nil }
        let body = try json.map { try JSONValue(parsing: $0).objectValue ?? JSONObject() }
        if let body {
            guard face.shows(body, of: kind) else { return nil }
            return FoundObject(summary: summary, body: face.visible(body, of: kind))
        }
        return face.shows(kind) ? FoundObject(summary: summary, body: nil) : nil
    }

    /// The picture as it is: it is missing if its file was lost.
    func present(_ picture: PictureState) -> PictureState {
        guard let choice = picture.choice, !mirror.files.has(choice.file) else { return picture }
        return .missing(ratio: choice.ratio)
    }

    /// The size of a picture's file in pixels; `nil` if it is unknown.
    func size(of file: StoredFile) throws -> PixelSize? { try store.pixelSize(of: file, in: mirror.files) }
}

/// An object that a face may see.
struct FoundObject {
    let summary: ObjectSummary
    /// The object without hidden fields; `nil` for an object that is only referred to.
    let body: JSONObject?

    func text(_ field: String) -> String? { body?[field]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }

    /// A number, spelled as in the JSON; `nil` if the field isn't one.
    func number(_ field: String) -> String? { body?[field]?.numberValue?.lexeme }
}

extension JSONObject {
    /// The ids in a list of references or, if it is empty, of a single reference, each once.
    func ids(_ list: String, single: String) -> [String] {
        let many = self[list]?.arrayValue ?? []
        let entries = many.isEmpty ? [self[single]].compactMap(\.self) : many
        var seen: Set<ExactText> = []
        return entries.compactMap { $0.objectValue?["id"]?.idText ?? $0.idText }.filter {
            seen.insert(ExactText($0)).inserted
        }
    }
}
