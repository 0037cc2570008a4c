/// The `since` extension: records changes, and answers requests for the changes since a date.
extension FakePartner.State {
    /// Records that an object was changed or deleted.
    ///
    /// - Parameter time: When, in RFC 3339. All times must have the same length, because they are compared as strings.
    package mutating func touch(_ kind: String, _ id: String, at time: String) {
        changes.removeAll { $0.kind == kind && $0.id == id }
        changes.append((time, kind, id))
        changes.sort { $0.at < $1.at }
    }

    /// The answer to a list's `since` query; nil for other queries, and if the server doesn't have the extension.
    func changed(_ path: String, _ query: String) -> ScriptedAnswer? {
        guard extensions.contains("since"), query.hasPrefix("since=") else { return nil }
        let since = query.dropFirst(6).replacing("%3A", with: ":")
        let kind = path.split(separator: "/").last.map(String.init) ?? ""
        let elements = changes.filter { $0.kind == kind && $0.at >= since }.map { change in
            let object = objects[FakePartner.path(kind, change.id)]
            guard let object, lists[path]?.contains(change.id) == true else {
                return #"{"id":"\#(change.id)","deleted_at":"\#(change.at)"}"#
            }
            let tag = FakePartner.quoted(object), under = FakePartner.lists(kind, change.id, self)
            return #"{"id":"\#(change.id)","etag":\#(tag)\#(under),"object":\#(object)}"#
        }
        return .text(
            "[\(elements.joined(separator: ","))]",
            headers: ["Date": date, "Cache-Control": "no-store", "Content-Type": "application/json"])
    }
}
