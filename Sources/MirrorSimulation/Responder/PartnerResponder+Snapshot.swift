import Catalogue
import MirrorStore

/// The `snapshot` extension.
extension PartnerResponder {
    /// The maximum number of events since the beginning of an interrupted snapshot. If there are more, it can't be resumed.
    private static let mostMissedEvents = 4

    /// - Returns: `nil` if the path is not that of the snapshot.
    func snapshot(_ path: String, _ query: String) -> SimulatedPartner.Answer? {
        guard path == "\(PartnerCatalogue.root)/snapshot" else { return nil }
        guard traits.has("snapshot") else { return Self.notFound }
        var after = ""
        if let url = Self.value("after", query) {
            guard let event = Self.value("event_id", query) else {
                return SimulatedPartner.Answer(status: 400, body: "{}")
            }
            guard let position = catalogue.log.position(of: event),
                catalogue.log.refresh(after: position) != 255,
                catalogue.log.events.count(where: { $0.number > position }) <= Self.mostMissedEvents
            else { return SimulatedPartner.Answer(status: 409, body: #"{"error":"snapshot_moved"}"#) }
            after = url
        }
        let lines = entries().filter { after.utf8.lexicographicallyPrecedes($0.key.utf8) }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { line($0.key, $0.value) }
        let event = traits.has("events") ? #""event_id":"\#(catalogue.log.latest)","# : ""
        let head = #"{\#(event)"count":\#(lines.count)}"#, end = #"{"end":true,"count":\#(lines.count)}"#
        var answer = SimulatedPartner.Answer(body: ([head] + lines + [end]).map { "\($0)\n" }.joined())
        addChangesEnd(&answer)
        return answer
    }

    static func value(_ name: String, _ query: String) -> String? {
        query.split(separator: "&").first { $0.hasPrefix("\(name)=") }
            .flatMap { PercentEncoding.decode(String($0.dropFirst(name.count + 1))) }
    }

    private func line(_ url: String, _ answer: SimulatedPartner.Answer) -> String {
        let etag = traits.hasETags ? answer.etag : nil
        let field = etag.map { #","etag":\#(JSONValue.string($0).canonicalText)"# } ?? ""
        return #"{"url":\#(JSONValue.string(url).canonicalText)\#(field),"body":\#(answer.body)}"#
    }

    /// The answers of all canonical URLs.
    func entries() -> [String: SimulatedPartner.Answer] {
        let router = Router(partner: "p")
        var all: [String: SimulatedPartner.Answer] = [:]
        func add(_ route: Route) {
            let url = route.listURL ?? route.canonicalURL
            let parts = url.split(separator: "?", maxSplits: 1).map(String.init)
            let answer = answer(url, path: parts.first ?? "", query: parts.count > 1 ? parts[1] : "")
            if answer.status == 200 { all[url] = answer }
        }
        func addDocuments(_ list: Route, _ kind: Kind, _ id: String, _ document: (String) -> Route) {
            add(list)
            guard traits.offersDocuments else { return }
            for name in catalogue.lists[PartnerCatalogue.documents(kind, id)] ?? [] { add(document(name)) }
        }
        add(router.partner())
        add(router.user())
        for kind in Kinds.standard.listed { add(router.list(kind)) }
        for id in catalogue.ids(.artwork) { add(router.object(.artwork, id)) }
        for id in catalogue.ids(.artist) {
            add(router.object(.artist, id))
            addDocuments(router.list(.documents, of: Owner(.artist, id)), .artist, id) {
                router.document($0, of: Owner(.artist, id))
            }
        }
        for id in catalogue.ids(.location) {
            add(router.object(.location, id))
            add(router.list(.artworks, of: Owner(.location, id)))
        }
        for id in catalogue.ids(.album) {
            add(router.object(.album, id))
            add(router.list(.artworks, of: Owner(.album, id)))
        }
        for id in catalogue.ids(.show) {
            add(router.object(.show, id))
            add(router.list(.artworks, of: Owner(.show, id)))
            addDocuments(router.list(.documents, of: Owner(.show, id)), .show, id) {
                router.document($0, of: Owner(.show, id))
            }
            for cover in [false, true] {
                guard let url = router.list(cover ? .cover : .installationShots, of: Owner(.show, id)).listURL
                else { continue }
                let pictures = catalogue.pictures[PartnerCatalogue.pictures(id, cover: cover)] ?? []
                let body = Self.objects(pictures)
                all[url] = SimulatedPartner.Answer(body: body, etag: Self.etag(body))
            }
        }
        return all
    }
}
