import Catalogue
import Hummingbird
import MirrorStore

/// Answers with everything at once (`GET /partner/{p}/snapshot[?after=URL&event_id=…]`): a line of JSON for every canonical
/// URL, as of one instant.
///
/// A reader that was broken off goes on behind the last line that it has: with a later instant, whose event the first line
/// names, unless so much changed since that beginning anew is better.
struct SnapshotRoute {
    let mirror: ServedMirror
    let query: RequestTarget
    /// `Accept-Encoding`, as the client sent it.
    let codings: String?
    let ticket: RequestLoad.Ticket

    /// With more changes than that since a reader began, it begins again (409).
    static let changeLimit = 10_000

    func stream() throws -> Response {
        let after = query["after"]
        let event = query["event_id"].map { EventID($0) }
        guard after == nil || event != nil else {
            throw Refusal.invalid("after", "An after needs the event_id that the snapshot began with.")
        }
        guard after?.utf8.contains(0) != true else { throw Refusal.invalid("after") }
        guard let place = mirror.snapshots.begin() else { throw Refusal.overloaded }
        let partner = try mirror.store.servedSingle(.partner)?.id
        guard let partner else { throw Refusal.notFound }
        let source = SnapshotSource(partner: partner), store = mirror.store
        let gzip = ContentCoding.prefersGzip(codings) ? try Gzip() : nil
        // Read before: what changes meanwhile is told again.
        let end = try store.changesEnd()
        guard let instant = try store.servedInstant(from: source.leaves, and: source.ownLists) else {
            throw Refusal.overloaded
        }
        let begin: Int
        do {
            begin = try after.map { try linesRead(upTo: $0, in: instant, knowing: event ?? nil) } ?? 0
        } catch {
            instant.close()
            throw error
        }
        var response = Reply.unkept(.ok, "")
        response.headers[.contentType] = "application/x-ndjson"
        response.headers[.contentLength] = nil
        if let end, let name = HTTPFields.Element.Name("Changes-End") { response.headers[name] = end }
        response.headers[.vary] = "Accept-Encoding"
        if gzip != nil { response.headers[.contentEncoding] = "gzip" }
        response.body = SnapshotStream(instant: instant, source: source, begin: begin, gzip: gzip)
            .body(holding: (ticket, place))
        return response
    }

    /// How many lines a reader has whose last line is that of the URL `after`.
    private func linesRead(upTo after: String, in instant: ServedInstant, knowing event: EventID?) throws
        -> Int
    {
        // An id that isn't one of this log, or is of a part of it that was cut off, says nothing of what changed.
        guard let event, try instant.reaches(event, within: Self.changeLimit) else {
            throw Refusal.snapshotMoved
        }
        return try instant.place(of: after)
    }
}

extension Refusal {
    fileprivate static let snapshotMoved = Refusal(
        status: .conflict, code: "snapshot_moved",
        message: "Too much changed since this snapshot began. Begin again.")
}
