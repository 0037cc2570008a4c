import Catalogue
import Hummingbird
import MirrorStore

/// Everything at once (`GET /partner/{p}/snapshot[?after=URL&event_id=…]`): a line of JSON for every canonical URL, as of
/// one instant.
///
/// A reader whose transfer broke off goes on behind the last line that it has: with a later instant, whose event the first
/// line names, unless so much changed since that beginning again is better.
extension ReadRoutes {
    /// With more changes than that since a reader began, it begins again (409).
    private static let changeLimit = 10_000

    private static let snapshotMoved = Refusal(
        status: .conflict, code: "snapshot_moved",
        message: "Too much changed since this snapshot began. Begin again.")

    func snapshot() throws -> Response {
        let after = query["after"]
        let event = query["event_id"].map { EventID($0) }
        guard after == nil || event != nil else {
            throw Refusal.invalid("after", "An after needs the event_id that the snapshot began with.")
        }
        guard after?.utf8.contains(0) != true else { throw Refusal.invalid("after") }
        guard let place = mirror.snapshots.begin() else { throw Refusal.overloaded }
        guard let source = try ServedLeaves(store) else { throw Refusal.notFound }
        let gzip = ContentCoding.prefersGzip(reply.headers[.acceptEncoding]) ? try Gzip() : nil
        // Read before: what changes meanwhile is reported again.
        let end = try store.changesEnd()
        guard let instant = try store.servedInstant(from: source, and: source.ownLists) else {
            throw Refusal.overloaded
        }
        // How many lines the reader has.
        let begin = try after.map { after in
            // An id that isn't one of this log, or is of a part of it that was cut off, doesn't tell what changed.
            guard let event = event ?? nil, try instant.reaches(event, within: Self.changeLimit) else {
                throw Self.snapshotMoved
            }
            return try instant.place(of: after)
        }
        var response = Reply.unkept(.ok, "")
        response.headers[.contentType] = "application/x-ndjson"
        response.headers[.contentLength] = nil
        Self.setChangesEnd(end, of: &response)
        response.headers[.vary] = "Accept-Encoding"
        if gzip != nil { response.headers[.contentEncoding] = "gzip" }
        response.body = SnapshotStream(instant: instant, source: source, begin: begin ?? 0, gzip: gzip)
            .body(holding: (ticket, place))
        return response
    }
}
