/// An exhibition. Its artworks, documents and pictures are lists of their own.
public struct Show: Payload {
    public static let kind = "show"
    public static let columns = Column.list("slug name status start_at end_at description updated_at")

    public let fields: FieldValues
    /// Where it is: from `location`, else from `location_id`.
    public let locationID: String?
    /// Who shows, in order and each once.
    public let artistIDs: [String]
    public let partnerID: String?

    public init(_ read: inout FieldReader) {
        fields = read.fields
        let place = read.id(of: "location")
        let named = read.reference("location_id")
        locationID = place ?? named
        artistIDs = read.ids("artists") ?? []
        partnerID = read.id(of: "partner")
    }

    public var parts: Parts {
        var parts = Parts()
        (parts.artistIDs, parts.locationID) = (artistIDs, locationID)
        return parts
    }

    public func served(of partner: String) -> JSONObject? { ServingForm.show(json) }

    public var slug: String? { text("slug") }
    public var name: String? { text("name") }
    public var status: String? { text("status") }
    public var startAt: String? { text("start_at") }
    public var endAt: String? { text("end_at") }
    public var description: String? { text("description") }
    public var updatedAt: String? { text("updated_at") }
}

/// When a show is on: what decides whether it has a feed of its own, on both sides.
///
/// The dates decide, as they stay true by themselves. A day without a time lasts to its end (UTC). Without an end, the show
/// runs only if its status says so: many shows of long ago have none.
public struct ShowPeriod: Sendable, Hashable {
    private let start: Timestamp?
    /// The first moment at which it is over.
    private let end: Timestamp?
    private let saysRunning: Bool

    /// - Parameters:
    ///   - startAt: RFC 3339, or a day.
    ///   - endAt: the same.
    ///   - status: `running`, whatever its case, is what counts.
    public init(startAt: String?, endAt: String?, status: String?) {
        start = startAt.flatMap { Timestamp($0) }
        end = endAt.flatMap { text in
            Timestamp(text).map { text.utf8.count <= 10 ? Timestamp(seconds: $0.seconds + 86_400) : $0 }
        }
        saysRunning = status?.lowercased() == "running"
    }

    public init(_ show: Show) { self.init(startAt: show.startAt, endAt: show.endAt, status: show.status) }

    public func isRunning(at time: Timestamp) -> Bool {
        guard let end else { return saysRunning && start.map { $0 <= time } ?? true }
        guard time < end else { return false }
        return start.map { $0 <= time } ?? saysRunning
    }
}

/// A file that belongs to a show or an artist, without its bytes.
public struct Document: Payload {
    public static let kind = "document"
    public static let columns = Column.list("title filename size:integer uri")

    public let fields: FieldValues

    public init(_ read: inout FieldReader) { fields = read.fields }

    public var title: String? { text("title") }
    public var filename: String? { text("filename") }
    /// In bytes.
    public var size: Int? { integer("size") }
    public var uri: String? { text("uri") }
}
