import Catalogue
import MirrorStore

extension PageFrame {
    /// Gathers what surrounds the pages of a mirror.
    init(_ mirror: ServedMirror, face: Face, publicURL: String?, now: Timestamp) throws {
        let store = mirror.store
        base = "/" + PercentEncoding.encode(mirror.name)
        self.face = face
        self.publicURL = publicURL
        let partner =
            try store.servedSingle(.partner).map { try JSONValue(parsing: $0.body.body).objectValue } ?? nil
        museum =
            partner?["name"]?.stringValue.flatMap { $0.isEmpty ? nil : LongText.cut($0, to: 200).text }
            ?? mirror.name
        kinds = try Self.order.filter { try face.shows($0) && store.hasObjects($0, shownTo: face) }
        let origin = try partner?["website"]?.stringValue ?? store.origin
        originHref = origin.flatMap(WebAddress.href)
        originText =
            try origin.map { LongText.cut(Fact.shortened($0), to: 100).text }
            ?? (store.isCatalogue ? "a catalogue’s files" : "a server")
        let state = try MirrorState(store, for: face, now: now)
        (asOf, notices) = (state.asOf, state.notices)
    }

    /// The order of the kinds in the navigation.
    private static let order: [Kind] = [.artwork, .artist, .show, .album, .location]
}
