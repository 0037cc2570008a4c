import Foundation
import MirrorStore
import MirrorSync
import PartnerAPI

/// What is known of a mirror as a whole.
struct MirrorStatus {
    let name: String
    let place: String
    var origin: String?
    /// Whether it was made from a catalogue's files.
    var isCatalogue = false
    /// When the last run that was complete ended.
    var lastGood: String?
    var lastRun: CatalogueStore.RunRecord?
    var counts: [ObjectKind: Int] = [:]
    var files = 0
    var bytes: Int64 = 0
    var ghosts = 0

    init(name: String, place: String) {
        self.name = name
        self.place = place
    }

    init(_ folder: MirrorFolder) throws {
        self.init(name: folder.name, place: folder.path)
        let store = try folder.open(readOnly: true)
        do {
            origin = try store.fact(.origin)
            isCatalogue = try store.fact(.catalogue) == "1"
            lastGood = try store.lastRun(outcome: SyncSummary.Outcome.complete.rawValue)
            lastRun = try store.runs(limit: 1).first
            counts = try store.counts()
            let totals = try store.totals()
            (files, bytes, ghosts) = (totals.files, totals.bytes, totals.ghosts)
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
    }

    func lines(now: Date) -> [String] {
        let noOrigin = isCatalogue ? "a catalogue's files (mirror import)" : "none yet"
        var facts = [("origin", origin?.printable ?? noOrigin)]
        facts.append(("up to date", Self.ago(lastGood, now: now) ?? "never yet"))
        if let lastRun, lastRun.outcome != SyncSummary.Outcome.complete.rawValue {
            let how = lastRun.outcome ?? "still running, or stopped by force"
            facts.append(("last run", "\(how), \(Self.ago(lastRun.startedAt, now: now) ?? "")"))
        }
        let objects = ObjectKind.allCases.compactMap { kind -> String? in
            guard let count = counts[kind], count > 0, kind != .partner, kind != .user else { return nil }
            return Wording.count(count, kind.rawValue)
        }
        facts.append(("objects", objects.isEmpty ? "none" : Wording.list(objects)))
        facts.append(("files", "\(Wording.count(files)), \(Wording.bytes(bytes))"))
        if ghosts > 0 { facts.append(("ghosts", "\(Wording.count(ghosts)) (referred to, not stored)")) }
        if let errors = lastRun?.errors, errors > 0 {
            facts.append(("open errors", "\(Wording.count(errors)) in the last run"))
        }
        facts.append(("folder", place.printable))
        return [name] + facts.map { "  \($0.0.padded(to: 12))\($0.1)" }
    }

    private static func ago(_ timestamp: String?, now: Date) -> String? {
        guard let timestamp, let date = try? Date(timestamp, strategy: .iso8601WithMilliseconds) else {
            return nil
        }
        return
            "\(Wording.age(now.timeIntervalSince(date))) (\(timestamp.prefix(19).replacing("T", with: " ")) UTC)"
    }

    var json: JSONObject {
        var object: JSONObject = [
            "type": "mirror", "partner": .string(name), "folder": .string(place),
            "files": .integer(files), "bytes": .integer(Int(bytes)), "ghosts": .integer(ghosts),
            "objects": .object(JSONObject(counts.map { ($0.key.rawValue, .integer($0.value)) })),
            "open_errors": .integer(lastRun?.errors ?? 0), "origin": origin.map(JSONValue.string) ?? .null,
            "catalogue": .bool(isCatalogue),
            "last_good": lastGood.map(JSONValue.string) ?? .null,
        ]
        if let lastRun {
            object["last_run"] = .object([
                "run": .integer(Int(lastRun.run)), "command": .string(lastRun.command),
                "started_at": .string(lastRun.startedAt),
                "ended_at": lastRun.endedAt.map(JSONValue.string) ?? .null,
                "outcome": lastRun.outcome.map(JSONValue.string) ?? .null,
            ])
        }
        return object
    }
}

extension ParseStrategy where Self == Date.ISO8601FormatStyle {
    /// The timestamps that the store writes.
    static var iso8601WithMilliseconds: Self { Date.ISO8601FormatStyle(includingFractionalSeconds: true) }
}
