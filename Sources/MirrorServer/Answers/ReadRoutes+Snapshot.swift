import Catalogue
import Hummingbird
import MirrorStore

// The snapshot (`GET /partner/{p}/snapshot[?after=URL&event_id=…]`): a line of JSON for each canonical URL, all of one
// point in time.
//
// A client resumes an interrupted transfer after its last line. The rest is of a later point in time, whose event is in the
// first line. After too many changes, the client has to begin again.
extension ReadRoutes {
    /// The maximum number of changes since the beginning of a snapshot that is resumed. With more changes, the answer is 409.
    private static let changeLimit = 10_000

    private static let snapshotMoved = Refusal(
        status: .conflict, code: "snapshot_moved",
        message: "Too much changed since this snapshot began. Begin again.")

    func snapshot() throws -> Response {
        let after = query["after"]
        let event = query["event_id"].map { EventID($0) }
        guard after == nil || event != nil else {
            throw Refusal.invalid(
                "after", "The parameter after needs the event_id of the snapshot's first line.")
        }
        guard after?.utf8.contains(0) != true else { throw Refusal.invalid("after") }
        guard let place = mirror.snapshots.begin() else { throw Refusal.overloaded }
        guard let source = try ServedLeaves(store) else { throw Refusal.notFound }
        let gzip = ContentCoding.prefersGzip(reply.headers[.acceptEncoding]) ? try Gzip() : nil
        // Read before the snapshot, so that changes made meanwhile are reported again.
        let end = try store.changesEnd()
        guard let instant = try store.servedInstant(from: source, and: source.ownLists) else {
            throw Refusal.overloaded
        }
        // The number of lines that the client has.
        let begin = try after.map { after in
            // For an unknown event, or one in a truncated part of the log, the changes since are unknown.
            guard let event = event ?? nil, try instant.reaches(event, within: Self.changeLimit) else {
                throw Self.snapshotMoved
            }
            return try instant.place(of: after)
        }
        var response = Reply.uncacheable(.ok, "")
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
