/// One event of a partner's or show's feed (`events` extension): what happened to one object.
///
/// A change of a list, document or picture under an object is one of the object.
public struct PartnerEvent: Sendable, Hashable {
    /// As on the wire.
    public enum Action: Int, Sendable, Hashable, CaseIterable {
        case delete = 0
        case create = 1
        case update = 2
        /// The object has just the fields that changed.
        case partial = 3
    }

    /// The API's singular name: `partner`, `artwork`, `artist`, `show`, `album`, `location`; kinds that are not known yet
    /// are read too.
    public let kind: String
    public let id: String
    public let action: Action
    /// The object's ETag after the event, quotes included.
    public let etag: String?
    /// ETags of the lists under the object, by the lists' names; `nil` if the event doesn't say.
    public let lists: [String: String]?
    /// The whole object, or of a partial the fields that changed; `nil` if it has to be asked for.
    public let object: JSONObject?

    public init(
        kind: String, id: String, action: Action, etag: String? = nil, lists: [String: String]? = nil,
        object: JSONObject? = nil
    ) {
        self.kind = kind
        self.id = id
        self.action = action
        self.etag = etag
        self.lists = lists
        self.object = object
    }

    /// Reads an event. An action that is not known counts as an update of which nothing is said.
    ///
    /// - Throws: ``PayloadError`` without an id or a kind.
    public init(_ element: JSONValue) throws(PayloadError) {
        guard case .object(let json) = element, let id = json["id"]?.idText,
            let kind = json["kind"]?.stringValue, !kind.isBlank
        else { throw PayloadError(kind: "event", message: "An event has no id or no kind.") }
        let known = json["action"]?.looseNumber?.intValue.flatMap(Action.init(rawValue:))
        let lists = json["lists"]?.objectValue.map { lists in
            Dictionary(
                lists.members.compactMap { list in list.value.stringValue.map { (list.key, $0) } },
                uniquingKeysWith: { $1 })
        }
        self.init(
            kind: kind, id: id, action: known ?? .update,
            etag: known == nil ? nil : json["etag"]?.stringValue.flatMap { $0.isBlank ? nil : $0 },
            lists: known == nil ? nil : lists, object: known == nil ? nil : json["object"]?.objectValue)
    }
}
