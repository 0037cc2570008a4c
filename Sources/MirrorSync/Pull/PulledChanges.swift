import Catalogue
import Foundation
import MirrorStore

/// What a server said changed of one kind, read and ready to be stored.
struct PulledChanges: Sendable {
    let kind: Kind
    /// The date that was asked with.
    let since: String
    /// The server's clock when it answered.
    let date: Date?
    /// The moment behind the last change that the answer has, where the server says so.
    var end: Timestamp?
    /// The latest change that was seen, for servers that don't say the date.
    var latestChange: Timestamp?
    /// What is still there, in the server's order (oldest change first).
    var members: [(id: String, etag: String?, lists: String?)] = []
    /// The bodies that came with them.
    var records: [ObjectRecord] = []
    /// What was deleted.
    var gone: [String] = []

    init(kind: Kind, since: String, date: Date?) {
        self.kind = kind
        self.since = since
        self.date = date
    }

    var isEmpty: Bool { members.isEmpty && gone.isEmpty }

    /// Takes in one element of the answer. A body that can't be read is asked for by its canonical URL.
    ///
    /// - Throws: ``SyncError`` for an element that is none of such an answer.
    mutating func take(_ entry: ListEntry, _ warn: (FieldWarning) -> Void) throws {
        if let deletedAt = entry.deletedAt {
            see(deletedAt)
            gone.append(entry.id)
            return
        }
        // A full object is an element of a page: the server took no notice of the date.
        guard entry.etag != nil || entry.object != nil, !entry.isWhole else {
            throw SyncError(
                .badAnswer, "The server said of one of the \(kind.plural) that it changed, and not how.")
        }
        let lists = entry.lists.map {
            JSONObject($0.map { ($0.key, JSONValue.string($0.value)) }).canonicalText
        }
        members.append((entry.id, entry.etag, lists))
        guard let object = entry.object, object["id"]?.idText == entry.id else { return }
        see(object["updated_at"]?.stringValue)
        var warnings: [FieldWarning] = []
        guard let body = try? kind.type.init(object, warnings: &warnings) else { return }
        records.append(ObjectRecord(kind, body, etag: entry.etag))
        warnings.forEach(warn)
    }

    /// Leaves out what was pruned in the very version that the server still has.
    mutating func leaveOut(_ pruned: [ExactText: String?]) {
        guard !pruned.isEmpty else { return }
        let left = Set(
            members.lazy.map { (ExactText($0.id), $0.etag) }.filter { id, etag in
                etag != nil && pruned[id] == .some(etag)
            }.map(\.0))
        members.removeAll { left.contains(ExactText($0.id)) }
        records.removeAll { left.contains(ExactText($0.id)) }
    }

    private mutating func see(_ time: String?) {
        guard let time = time.flatMap({ Timestamp($0) }) else { return }
        latestChange = max(latestChange ?? time, time)
    }
}
