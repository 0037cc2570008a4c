import MirrorTesting

@testable import MirrorSync

extension FakePartner {
    /// The lines of the partner's current snapshot, with the lists under objects that it answers.
    func snapshot(event: String = "e1", after url: String? = nil) -> [String] {
        var entries = objects
        for (path, ids) in lists {
            let query = path.contains("?") ? "" : "?ids=1&size=all"
            entries[path + query] = "[\(ids.map { "\"\($0)\"" }.joined(separator: ","))]"
        }
        let sorted = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            .filter { entry in url.map { $0.utf8.lexicographicallyPrecedes(entry.key.utf8) } ?? true }
        let lines = sorted.map { url, body in
            let etag = Self.etag(body).replacing("\"", with: "\\\"")
            return "{\"url\":\"\(url)\",\"etag\":\"\(etag)\",\"body\":\(body)}"
        }
        return ["{\"event_id\":\"\(event)\",\"count\":\(lines.count),\"bytes\":1}"] + lines
            + ["{\"end\":true,\"count\":\(lines.count)}"]
    }

    static let snapshotURL = "/partner/p/snapshot"

    /// Answers with these lines, each time or once.
    func offer(_ lines: [String], at url: String = snapshotURL, once: Bool = false) {
        let answer = ScriptedAnswer.text(
            lines.map { "\($0)\n" }.joined(), headers: ["Date": "Sat, 21 Nov 2026 10:00:00 GMT"])
        change { state in
            if once { state.once[url, default: []].append(answer) } else { state.overrides[url] = answer }
        }
    }
}
