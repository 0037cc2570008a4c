import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// The server's endpoint for writes to albums, with a record of all writes.
struct AlbumEndpoint: Sendable {
    /// A write that the server accepted, for the checks of edits.
    struct AcceptedWrite: Sendable, Hashable {
        enum Change: Sendable, Hashable {
            case saved(name: String), deleted
            case artwork(String, isPresent: Bool)
        }

        let album: String
        let change: Change
    }

    private(set) var accepted: [AcceptedWrite] = []
    /// Writes that the server refused because the artwork or the album doesn't exist.
    private(set) var refused: Set<AcceptedWrite> = []
    /// The number of all writes, accepted or not.
    private(set) var writes = 0
    /// Ids and names of the albums that clients created, in order. An album that was created twice is in it twice.
    private(set) var created: [(id: String, name: String)] = []
    private var idempotencyKeys: [String: String] = [:]

    /// The server refuses album names that contain this word.
    static let forbidden = "forbidden"

    private typealias Answer = SimulatedPartner.Answer

    mutating func answer(
        _ request: TransportRequest, _ url: String, _ catalogue: inout PartnerCatalogue,
        _ traits: PartnerTraits, at time: Int
    ) -> SimulatedPartner.Answer {
        writes += 1
        let parts = url.split(separator: "/").map { PercentEncoding.decode($0) ?? "" }
        switch (request.method, parts.count) {
        case ("POST", 3): return create(request, &catalogue, traits, at: time)
        case ("PUT", 4): return save(parts[3], request, &catalogue, traits, at: time)
        case ("DELETE", 4): return delete(parts[3], request, &catalogue, traits, at: time)
        case ("POST", 6), ("DELETE", 6):
            return member(parts[5], of: parts[3], isPresent: request.method == "POST", &catalogue, at: time)
        default: return Answer(status: 404, body: "{}")
        }
    }

    private static func fields(_ request: TransportRequest) -> JSONObject {
        (try? JSONValue(parsing: request.body ?? []))?.objectValue ?? [:]
    }

    private mutating func create(
        _ request: TransportRequest, _ catalogue: inout PartnerCatalogue, _ traits: PartnerTraits,
        at time: Int
    ) -> SimulatedPartner.Answer {
        let key = request.headers["Idempotency-Key"] ?? ""
        if traits.honoursIdempotencyKeys, let id = idempotencyKeys[key], let body = catalogue.body(.album, id)
        {
            return Answer(status: 201, body: body.text, etag: body.etag)
        }
        let id = "s\(created.count + 1)"
        let answer = store(id, ["id": .string(id)], request, &catalogue, at: time)
        guard answer.status == 200 else { return answer }
        idempotencyKeys[key] = id
        created.append((id, Self.fields(request)["name"]?.stringValue ?? ""))
        return Answer(status: 201, body: answer.body, etag: answer.etag)
    }

    private mutating func store(
        _ id: String, _ album: JSONObject, _ request: TransportRequest, _ catalogue: inout PartnerCatalogue,
        at time: Int
    ) -> SimulatedPartner.Answer {
        var album = album
        let fields = Self.fields(request), name = fields["name"]?.stringValue ?? ""
        guard !name.contains(Self.forbidden) else { return Answer(status: 422, body: #"{"error":"name"}"#) }
        for field in ["name", "description", "private"] {
            if let value = fields[field] { album[field] = value == .null ? nil : value }
        }
        album["updated_at"] = .string(Timestamp(seconds: time / 1_000).text)
        var body = PartnerCatalogue.Body(album)
        body.slug = album["slug"]?.stringValue
        body.updated = time / 1_000
        catalogue.put(.album, id, body)
        catalogue.touch(.album, id, at: time)
        accepted.append(AcceptedWrite(album: id, change: .saved(name: name)))
        return Answer(body: body.text, etag: body.etag)
    }

    /// The answer to a write to an album that doesn't exist, or whose `If-Match` doesn't match; `nil` if the write is
    /// allowed.
    private func refusal(
        _ request: TransportRequest, _ body: PartnerCatalogue.Body?, _ traits: PartnerTraits
    ) -> SimulatedPartner.Answer? {
        guard let body else { return Answer(status: 404, body: #"{"error":"not_found"}"#) }
        guard traits.honoursIfMatch, let tag = request.headers["If-Match"], tag != body.etag else {
            return nil
        }
        return Answer(status: 412, body: #"{"error":"precondition_failed"}"#)
    }

    private mutating func save(
        _ id: String, _ request: TransportRequest, _ catalogue: inout PartnerCatalogue,
        _ traits: PartnerTraits,
        at time: Int
    ) -> SimulatedPartner.Answer {
        let body = catalogue.names(.album, id) ? catalogue.body(.album, id) : nil
        if let refusal = refusal(request, body, traits) { return refusal }
        let album = (body.flatMap { try? JSONValue(parsing: $0.text) })?.objectValue ?? [:]
        let answer = store(id, album, request, &catalogue, at: time)
        return traits.answersWritesWithBody || answer.status != 200 ? answer : Answer(status: 204)
    }

    private mutating func delete(
        _ id: String, _ request: TransportRequest, _ catalogue: inout PartnerCatalogue,
        _ traits: PartnerTraits,
        at time: Int
    ) -> SimulatedPartner.Answer {
        if let refusal = refusal(request, catalogue.body(.album, id), traits) { return refusal }
        catalogue.remove(.album, id)
        catalogue.lists[PartnerCatalogue.artworks(.album, id)] = nil
        catalogue.touch(.album, id, at: time)
        accepted.append(AcceptedWrite(album: id, change: .deleted))
        return Answer(status: 204)
    }

    private mutating func member(
        _ artwork: String, of album: String, isPresent: Bool, _ catalogue: inout PartnerCatalogue,
        at time: Int
    ) -> SimulatedPartner.Answer {
        let write = AcceptedWrite(album: album, change: .artwork(artwork, isPresent: isPresent))
        guard catalogue.names(.album, album), !isPresent || catalogue.body(.artwork, artwork) != nil else {
            refused.insert(write)
            return Answer(status: 404, body: #"{"error":"not_found"}"#)
        }
        let list = PartnerCatalogue.artworks(.album, album)
        var ids = catalogue.lists[list] ?? []
        if ids.contains(artwork) != isPresent {
            ids.removeAll { $0 == artwork }
            if isPresent { ids.append(artwork) }
            catalogue.lists[list] = ids
            catalogue.touch(.album, album, at: time)
        }
        accepted.append(write)
        return Answer(body: "{}")
    }
}
