import Catalogue
import Crypto

/// The Art Institute of Chicago: complete records in pages, newest first, with ETags.
///
/// Not imitated: `/places` and `/images`, and the limit of 60 requests a minute, of which it isn't known whether it is on.
package struct ArticImitation: Imitation {
    package static let base = "https://api.artic.edu/api/v1"
    package static let pictureHost = "www.artic.edu"
    package static let faults: [ImitationFault] = [
        .bumpsARecord, .weakValidators, .challengesPictures, .missingPictures,
    ]

    package var state: ImitationState

    package init(_ state: ImitationState) { self.state = state }

    static let resources: [String: Kind] = [
        "artworks": .artwork, "agents": .artist, "exhibitions": .show, "galleries": .location,
    ]

    package static func acceptsPost(_ path: [String]) -> Bool { path == ["artworks", "search"] }

    package mutating func answer(_ path: [String], _ request: ImitationRequest) -> ImitationAnswer {
        guard let resource = path.first, let kind = Self.resources[resource], path.count <= 2 else {
            return Self.notFound
        }
        let answer: ImitationAnswer
        if path == ["artworks", "search"] {
            answer = search(request)
        } else if path.count == 2 {
            answer = object(kind, path[1], request)
        } else {
            answer = request["ids"] == nil ? list(kind, resource, request) : listed(kind, resource, request)
        }
        return validated(answer, request)
    }

    // MARK: - Lists

    private mutating func list(
        _ kind: Kind, _ resource: String, _ request: ImitationRequest
    ) -> ImitationAnswer {
        guard let limit = request.number("limit", default: 12), limit <= 100 else {
            return Self.failure(403, "Invalid limit", "You have requested too many items per page.")
        }
        guard let page = request.number("page", default: 1, least: 1), limit > 0 else {
            return Self.failure(400, "Invalid page", "The page and the limit must be numbers above 0.")
        }
        var ids = state.catalogue.ids(of: kind, by: .latestFirst)
        if kind == .artwork, page == 2, bumpsOne(of: ids.dropFirst(limit * 2)) {
            ids = state.catalogue.ids(of: kind, by: .latestFirst)
        }
        let (start, overflows) = (page - 1).multipliedReportingOverflow(by: limit)
        let records = (overflows ? [] : ids.dropFirst(start).prefix(limit)).compactMap {
            record(kind, $0, request)
        }
        let pages = (ids.count + limit - 1) / limit
        var pagination = Self.pagination(total: ids.count, limit: limit, offset: start)
        pagination["total_pages"] = .int(pages)
        pagination["current_page"] = .int(page)
        if page < pages {
            pagination["next_url"] = .string(Self.next(resource, page: page + 1, limit, request))
        }
        return Self.body(.array(records), pagination: pagination, request)
    }

    /// The next page's address: that of this page, with the other number.
    private static func next(
        _ resource: String, page: Int, _ limit: Int, _ request: ImitationRequest
    ) -> String {
        let others = request.target.query.filter { !["page", "limit"].contains($0.name) }
        let items = [NameValue("page", String(page)), NameValue("limit", String(limit))] + others
        return apiURL("/\(resource)?\(FormBody.encode(items))", request)
    }

    /// The records of `ids=1,2,…`.
    private mutating func listed(
        _ kind: Kind, _ resource: String, _ request: ImitationRequest
    ) -> ImitationAnswer {
        let numbers = (request["ids"] ?? "").split(separator: ",").map { Int($0) }
        guard numbers.count <= 100 else {
            return Self.failure(403, "Invalid number of ids", "You have requested too many ids.")
        }
        let wanted = Set(numbers.compactMap(\.self).compactMap { state.catalogue.id(kind, number: $0) })
        let ids = state.catalogue.ids(of: kind, by: .latestFirst).filter(wanted.contains)
        var pagination = Self.pagination(total: ids.count, limit: max(ids.count, 12), offset: 0)
        pagination["total_pages"] = 1
        pagination["current_page"] = 1
        let records = ids.compactMap { record(kind, $0, request) }
        return Self.body(.array(records), pagination: pagination, request)
    }

    /// Bumps one of the records behind the first two pages, if that fault is on: a crawl that has read page 1 misses it.
    ///
    /// - Returns: whether the order is another one now.
    mutating func bumpsOne(of unread: ArraySlice<String>) -> Bool {
        guard state.has(.bumpsARecord), !unread.isEmpty else { return false }
        let place = Int((state.seed &+ UInt64(state.requests)) % UInt64(unread.count))
        state.catalogue.stamp(.artwork, unread[unread.startIndex + place], at: state.now)
        return true
    }

    private mutating func object(
        _ kind: Kind, _ text: String, _ request: ImitationRequest
    ) -> ImitationAnswer {
        guard let number = Int(text), let id = state.catalogue.id(kind, number: number),
            let record = record(kind, id, request)
        else { return Self.notFound }
        return Self.body(record, pagination: nil, request)
    }

    // MARK: - Answers

    static func pagination(total: Int, limit: Int, offset: Int) -> JSONObject {
        ["total": .int(total), "limit": .int(limit), "offset": .int(offset)]
    }

    static func body(
        _ data: JSONValue, pagination: JSONObject?, _ request: ImitationRequest
    ) -> ImitationAnswer {
        let licence: JSONValue = [
            "license_text":
                "The `description` field in this response is licensed under a Creative Commons Attribution 4.0 Generic License (CC-By). All other data is CC0.",
            "license_links": ["https://creativecommons.org/publicdomain/zero/1.0/"], "version": "1.0",
        ]
        var answer: JSONObject = [
            "data": data, "info": licence,
            "config": [
                "iiif_url": .string(pictureURL("iiif/2", request)), "website_url": "https://www.artic.edu",
            ],
        ]
        if let pagination { answer["pagination"] = .object(pagination) }
        return .json(answer)
    }

    static func failure(_ status: Int, _ error: String, _ detail: String) -> ImitationAnswer {
        .json(
            ["status": .int(status), "error": .string(error), "detail": .string(detail)], status: status)
    }

    private static var notFound: ImitationAnswer {
        failure(404, "Not found", "The item you requested cannot be found.")
    }

    /// Adds the ETag: the MD5 of the body. Only exactly this tag gives 304.
    private func validated(_ answer: ImitationAnswer, _ request: ImitationRequest) -> ImitationAnswer {
        guard answer.status == 200, request.method != "POST" else { return answer }
        var answer = answer
        let digest = Insecure.MD5.hash(data: answer.bytes)
        let etag = "\"\(digest.map { MuseumNumber.hex(UInt64($0), digits: 2) }.joined())\""
        answer.headers["ETag"] = state.has(.weakValidators) ? "W/\(etag)" : etag
        guard request.headers["if-none-match"] == etag else { return answer }
        return ImitationAnswer(status: 304, headers: ["ETag": etag], body: .bytes([]))
    }

    // MARK: - Pictures

    package func picture(_ path: [String], _ request: ImitationRequest) -> ImitationAnswer {
        if state.has(.challengesPictures) {
            return .html(
                "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body></body></html>",
                status: 403, ["cf-mitigated": "challenge", "Server": "cloudflare"])
        }
        guard path.count == 7, path[0] == "iiif", path[1] == "2", let size = IIIFSize(path[3...]),
            let id = Self.pictureID(path[2]),
            let found = ArtworkRecord.picture(id, in: state.catalogue), !state.isMissing(found.picture)
        else { return .status(404) }
        guard found.artwork.isPublicDomain || size.pixels.map({ $0 <= 843 }) == true else {
            return .status(403)
        }
        return .jpeg(found.picture, format: size.format)
    }

    /// A UUID of the artwork's number and the picture's hash.
    static func imageID(_ picture: ArtworkRecord.Picture) -> String {
        let parts = picture.id.split(separator: "-").compactMap { UInt64($0) }
        guard parts.count == 2 else { return picture.id }
        let number = MuseumNumber.hex(parts[0], digits: 16), hash = MuseumNumber.hex(parts[1], digits: 8)
        return "\(hash)-0000-4000-\(number.prefix(4))-\(number.dropFirst(4))"
    }

    private static func pictureID(_ imageID: String) -> String? {
        let parts = imageID.split(separator: "-")
        guard parts.count == 5, let hash = UInt64(parts[0], radix: 16),
            let number = UInt64(parts[3] + parts[4], radix: 16)
        else { return nil }
        return "\(number)-\(hash)"
    }
}
