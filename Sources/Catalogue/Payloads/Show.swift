/// An exhibition. Its artworks, documents and pictures are lists under it.
public struct Show: Payload {
    /// The API's singular name.
    public static let kind = "show"
    /// The fields that have a column.
    public static let columns = Column.list("slug name status start_at end_at description updated_at")

    /// The id, the JSON, and the values of the columns.
    public let fields: FieldValues
    /// The id of the location: from `location`, or else from `location_id`.
    public let locationID: String?
    /// The ids of the artists, in order and each once.
    public let artistIDs: [String]
    /// The id of the partner; `nil` if the server doesn't send it.
    public let partnerID: String?

    /// Reads the fields that have no column.
    public init(_ read: inout FieldReader) {
        fields = read.fields
        let place = read.id(of: "location")
        let named = read.reference("location_id")
        locationID = place ?? named
        artistIDs = read.ids("artists") ?? []
        partnerID = read.id(of: "partner")
    }

    /// The parts and references that a mirror stores in other tables.
    public var parts: Parts {
        var parts = Parts()
        (parts.artistIDs, parts.locationID) = (artistIDs, locationID)
        return parts
    }

    /// The object in serving form; see ``ServingForm``.
    public func served(of partner: String) -> JSONObject? { ServingForm.show(json) }

    /// The slug, which identifies the object in paths of the web site.
    public var slug: String? { text("slug") }
    /// The name.
    public var name: String? { text("name") }
    /// The status, such as `running`.
    public var status: String? { text("status") }
    /// The first day or the time of the opening (RFC 3339).
    public var startAt: String? { text("start_at") }
    /// The last day or the time of the closing (RFC 3339).
    public var endAt: String? { text("end_at") }
    /// The description.
    public var description: String? { text("description") }
    /// The time of the last change on the server (RFC 3339).
    public var updatedAt: String? { text("updated_at") }
}

/// The time in which a show is running. Client and server use it to decide whether the show has its own feed of events.
///
/// - The dates decide if there is an end date. A status may be outdated; dates stay correct.
/// - An end date without a time includes the whole day (UTC).
/// - Without an end date, the show is running only if its status is `running`, because many old shows have no end date.
public struct ShowPeriod: Sendable, Hashable {
    private let start: Timestamp?
    /// The first moment after the show.
    private let end: Timestamp?
    private let hasRunningStatus: Bool

    /// Creates a period from a show's fields.
    ///
    /// - Parameters:
    ///   - startAt: an RFC 3339 timestamp, or a date. Other texts are ignored.
    ///   - endAt: an RFC 3339 timestamp, or a date. Other texts are ignored.
    ///   - status: compared with `running`, in any case.
    public init(startAt: String?, endAt: String?, status: String?) {
        start = startAt.flatMap { Timestamp($0) }
        end = endAt.flatMap { text in
            Timestamp(text).map { text.utf8.count <= 10 ? Timestamp(seconds: $0.seconds + 86_400) : $0 }
        }
        hasRunningStatus = status?.lowercased() == "running"
    }

    /// Creates the period of a show.
    public init(_ show: Show) { self.init(startAt: show.startAt, endAt: show.endAt, status: show.status) }

    /// Whether the show is running at a time.
    public func isRunning(at time: Timestamp) -> Bool {
        guard let end else { return hasRunningStatus && start.map { $0 <= time } ?? true }
        guard time < end else { return false }
        return start.map { $0 <= time } ?? hasRunningStatus
    }
}

/// The description of a file that belongs to a show or an artist, without the file itself.
public struct Document: Payload {
    /// The API's singular name.
    public static let kind = "document"
    /// The fields that have a column.
    public static let columns = Column.list("title filename size:integer uri")

    /// The id, the JSON, and the values of the columns.
    public let fields: FieldValues

    /// Reads the fields that have no column.
    public init(_ read: inout FieldReader) { fields = read.fields }

    /// The title.
    public var title: String? { text("title") }
    /// The name of the file.
    public var filename: String? { text("filename") }
    /// In bytes.
    public var size: Int? { integer("size") }
    /// The address of the file.
    public var uri: String? { text("uri") }
}
