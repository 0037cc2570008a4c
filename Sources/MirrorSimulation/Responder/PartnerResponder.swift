import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Answers requests that change nothing, with the content of the catalogue and in the way that the traits describe.
struct PartnerResponder {
    let catalogue: PartnerCatalogue
    let traits: PartnerTraits
    /// The server's time, in seconds since 1970.
    let now: Double

    typealias Answer = SimulatedPartner.Answer

    func answer(_ url: String, path: String, query: String) -> SimulatedPartner.Answer {
        if url.isEmpty { return extensions }
        if let answer = snapshot(path, query) ?? digest(path, query) { return answer }
        if path.containsUTF8("/events/"), let answer = events(path) { return answer }
        if path.hasSuffix(".jpg") { return picture(path) }
        if query.hasPrefix("since=") { return since(path, query) }
        if path.hasSuffix("/documents"), !traits.offersDocuments { return Self.notFound }
        if path.hasSuffix("/images") { return pictures(path, query) }
        if query.containsUTF8("private=true"), !traits.acceptsPrivateFilter {
            return Answer(status: 400, body: "{}")
        }
        let list =
            path.hasSuffix("/artworks/all")
            ? "\(path)?\(query.split(separator: "&").first { $0.hasPrefix("partner_location_id=") } ?? "")"
            : path
        if let ids = ids(list) {
            return query.containsUTF8("validators=1") ? validators(path, ids) : self.list(path, ids)
        }
        guard let object = catalogue.objects[path] else { return Self.notFound }
        return Answer(body: object.text, etag: object.etag)
    }

    /// A picture's bytes depend only on its path.
    private func picture(_ path: String) -> SimulatedPartner.Answer {
        guard catalogue.hasPicture(String(path.dropFirst())) else { return Self.notFound }
        let body = "\u{FF}\(String(repeating: path, count: 40))"
        return Answer(body: body, etag: Self.etag(body), isPicture: true)
    }

    static let notFound = Answer(status: 404, body: #"{"error":"not_found"}"#)

    private func body(_ text: String) -> SimulatedPartner.Answer {
        Answer(body: text, etag: Self.etag(text))
    }

    static func etag(_ text: String) -> String { "\"\(String(Fingerprint.of(text), radix: 16))\"" }

    private var extensions: SimulatedPartner.Answer {
        guard !traits.extensions.isEmpty else { return Self.notFound }
        return body(#"{"extensions":\#(Self.array(traits.extensions))}"#)
    }

    private static func array(_ ids: [String]) -> String {
        "[\(ids.map { "\"\($0)\"" }.joined(separator: ","))]"
    }

    // MARK: - Lists

    private static let own = Set(Kinds.standard.listed.map(PartnerCatalogue.list))

    private func isOwn(_ path: String) -> Bool { Self.own.contains(path) }

    /// The ids of a list; `nil` if the path is not that of a list.
    private func ids(_ list: String) -> [String]? {
        if let ids = catalogue.lists[list] { return ids }
        if isOwn(list) { return [] }
        // A list that was never filled is empty if its owner exists.
        let owner = String(list.prefix { $0 != "?" })
        if owner.hasSuffix("/artworks/all") { return [] }
        for end in ["/artworks", "/documents"] where owner.hasSuffix(end) {
            let path = String(owner.dropLast(end.count))
            let isThere =
                catalogue.objects[path] != nil
                || catalogue.objects[path.replacing(PartnerCatalogue.root, with: "")] != nil
            return isThere ? [] : nil
        }
        return nil
    }

    private func pictures(_ path: String, _ query: String) -> SimulatedPartner.Answer {
        let role = query.split(separator: "&").first { $0.hasPrefix("default=") } ?? ""
        let all = catalogue.pictures["\(path)?\(role)"] ?? []
        return body(query.containsUTF8("page=1&") || query.hasSuffix("page=1") ? Self.objects(all) : "[]")
    }

    static func objects(_ bodies: [PartnerCatalogue.Body]) -> String {
        "[\(bodies.map(\.text).joined(separator: ","))]"
    }

    private func list(_ path: String, _ ids: [String]) -> SimulatedPartner.Answer {
        var answer = body(Self.array(ids))
        if path.hasSuffix("/documents") { answer.etag = documentsETag(path, ids) }
        if isOwn(path) { addChangesEnd(&answer) }
        return answer
    }

    /// The ETag of a list of documents. With shallow ETags it covers only the ids: then only the owner's change shows
    /// that a document changed.
    private func documentsETag(_ path: String, _ ids: [String]) -> String {
        Self.etag(traits.hasShallowListETags ? "\(ids)" : "\(ids)\(documents(path, ids))")
    }

    private func documents(_ path: String, _ ids: [String]) -> String {
        let one = String(path.dropLast())
        return Self.objects(ids.compactMap { catalogue.objects["\(one)/\($0)"] })
    }

    /// The list with validators. Its own ETag covers everything under its objects, whether or not the elements contain
    /// the ETags of the lists under the objects.
    private func validators(_ path: String, _ ids: [String]) -> SimulatedPartner.Answer {
        guard let kind = Kinds.standard.listed.first(where: { PartnerCatalogue.list($0) == path }) else {
            return body("[]")
        }
        let members = ids.map { #"{"id":"\#($0)"\#(validator(kind, $0))}"# }
        var answer = body("[\(members.joined(separator: ","))]")
        if !traits.hasListETags || traits.hasShallowListETags {
            answer.etag = Self.etag(
                answer.body + ids.map { lists(kind, $0) + documents(under: kind, $0) }.joined())
        }
        addChangesEnd(&answer)
        return answer
    }

    private func documents(under kind: Kind, _ id: String) -> String {
        let path = PartnerCatalogue.documents(kind, id)
        return documents(path, catalogue.lists[path] ?? [])
    }

    /// The JSON fields with an object's ETag, and with those of the lists under it.
    func validator(_ kind: Kind, _ id: String) -> String {
        let etag = Self.quoted(catalogue.body(kind, id)?.etag ?? "")
        return #","etag":\#(etag)\#(traits.hasListETags ? lists(kind, id) : "")"#
    }

    private static func quoted(_ etag: String) -> String { "\"\(etag.replacing("\"", with: "\\\""))\"" }

    private func lists(_ kind: Kind, _ id: String) -> String {
        func list(_ name: String, _ etag: String) -> String { #""\#(name)":\#(Self.quoted(etag))"# }
        var lists: [String] = []
        if kind == .show || kind == .album || kind == .location {
            lists.append(
                list(
                    "artworks",
                    Self.etag(Self.array(catalogue.lists[PartnerCatalogue.artworks(kind, id)] ?? []))))
        }
        if kind == .show || kind == .artist, traits.offersDocuments {
            let path = PartnerCatalogue.documents(kind, id)
            lists.append(list("documents", documentsETag(path, catalogue.lists[path] ?? [])))
        }
        if kind == .show {
            for cover in [false, true] {
                let path = PartnerCatalogue.pictures(id, cover: cover)
                lists.append(
                    list(
                        "images?default=\(cover ? 1 : 0)",
                        Self.etag(Self.objects(catalogue.pictures[path] ?? []))))
            }
        }
        return lists.isEmpty ? "" : #","lists":{\#(lists.joined(separator: ","))}"#
    }

    // MARK: - Since

    private func since(_ path: String, _ query: String) -> SimulatedPartner.Answer {
        let text = query.dropFirst(6).replacing("%3A", with: ":")
        guard traits.has("since"), let since = Timestamp(String(text)),
            let kind = Kinds.standard.listed.first(where: { PartnerCatalogue.list($0) == path })
        else { return Answer(status: 400, body: "{}") }
        guard since >= Timestamp(seconds: Int(now)).earlier(months: 3) else {
            return Answer(status: 400, body: #"{"error":"since_too_old"}"#)
        }
        let from = since.seconds * 1_000 + since.nanoseconds / 1_000_000
        let elements = catalogue.changes.filter { $0.kind == kind && $0.at >= from }.map { change -> String in
            guard catalogue.names(kind, change.id), let body = catalogue.body(kind, change.id) else {
                return #"{"id":"\#(change.id)","deleted_at":"\#(Self.time(change.at))"}"#
            }
            return #"{"id":"\#(change.id)"\#(validator(kind, change.id)),"object":\#(body.text)}"#
        }
        var answer = Answer(body: "[\(elements.joined(separator: ","))]")
        addChangesEnd(&answer)
        return answer
    }

    static func time(_ milliseconds: Int) -> String {
        Timestamp(seconds: milliseconds / 1_000, nanoseconds: milliseconds % 1_000 * 1_000_000).text
    }

    /// Sets `Changes-End`, the time up to which the answer contains all changes: just after the last one, as no two have
    /// the same time.
    func addChangesEnd(_ answer: inout SimulatedPartner.Answer) {
        guard traits.sendsChangesEnd, let last = catalogue.changes.last?.at else { return }
        answer.headers["Changes-End"] = Self.time(last + 1)
    }
}
