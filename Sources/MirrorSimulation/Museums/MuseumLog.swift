import Catalogue

/// An object by its kind and its id in the museum.
struct MuseumObject: Sendable, Hashable, Comparable, CustomStringConvertible {
    let kind: Kind
    let id: String

    var description: String { "\(kind.name) \(id)" }
    static func < (first: MuseumObject, second: MuseumObject) -> Bool {
        (first.kind.name, first.id) < (second.kind.name, second.id)
    }
}

/// What was requested from a museum, and what its answers contained about objects.
struct MuseumLog: Sendable {
    struct Entry: Sendable {
        let host: String
        let url: String
        /// The time since the history began, however clocks are set.
        let elapsed: Duration
        /// The mirror's clock, in seconds since 1970.
        let local: Double
    }

    /// The requests of this run.
    private(set) var entries: [Entry] = []
    /// The objects that were requested by their own URLs, or with several others, in this run.
    private(set) var requested: Set<MuseumObject> = []
    /// The objects in the lists of this run.
    private(set) var listed: Set<MuseumObject> = []
    /// The objects in the lists of changes since a date, in this run.
    private(set) var changed: Set<MuseumObject> = []
    /// When the own URL of an object was absent last, in this run, by the mirror's clock.
    private(set) var absent: [MuseumObject: Double] = [:]
    /// The objects whose own URLs had an object, in this run.
    private(set) var present: Set<MuseumObject> = []
    /// The addresses of pictures that were sent in this run.
    private(set) var pictures: Set<String> = []
    /// The number of requests to each host on each day, in all runs: days are counted from 1970 by the mirror's clock.
    private(set) var days: [String: [Int: Int]] = [:]
    /// The objects of a list that was sent with this URL and ETag: a 304 confirms them.
    private var listsByETag: [String: [MuseumObject]] = [:]

    /// Begins a run.
    mutating func begin() {
        (entries, requested, listed, changed, absent) = ([], [], [], [], [:])
        (present, pictures) = ([], [])
    }

    mutating func note(_ entry: Entry) {
        entries.append(entry)
        days[entry.host, default: [:]][Int((entry.local / 86_400).rounded(.down)), default: 0] += 1
    }

    /// Notes what was requested, even if the answer got lost.
    mutating func note(_ subject: MuseumSubject) {
        if case .objects(let kind, let ids) = subject {
            requested.formUnion(ids.map { MuseumObject(kind: kind, id: $0) })
        }
    }

    /// Notes an answer that was sent to its end.
    mutating func note(_ answer: ImitationAnswer, to subject: MuseumSubject, url: String, at local: Double) {
        let isMarkup = answer.headers["Content-Type"]?.hasPrefix("text/html") == true
        switch subject {
        case .list(let kind, let isOfChanges):
            let key = "\(url) \(answer.headers["ETag"] ?? "")"
            var named = listsByETag[key] ?? []
            if answer.status == 200, !isMarkup {
                named = MuseumSubject.ids(in: answer.bytes).map { MuseumObject(kind: kind, id: $0) }
                if answer.headers["ETag"] != nil { listsByETag[key] = named }
            }
            guard answer.status == 200 || answer.status == 304 else { return }
            if isOfChanges { changed.formUnion(named) } else { listed.formUnion(named) }
        case .objects(let kind, let ids):
            guard ids.count == 1, let id = ids.first, !isMarkup else { return }
            let object = MuseumObject(kind: kind, id: id)
            if answer.status == 404 || answer.status == 200 && MuseumSubject.isEmpty(answer.bytes) {
                absent[object] = local
            } else if answer.status == 200 {
                present.insert(object)
            }
        case .picture: if answer.status == 200 { pictures.insert(url) }
        case .other: break
        }
    }
}

/// What a request asks for.
enum MuseumSubject: Sendable {
    case list(Kind, isOfChanges: Bool)
    case objects(Kind, [String])
    case picture
    case other

    init(_ museum: ImitatedMuseum.Name, host: String, target: String) {
        guard host != museum.pictureHost else {
            self = .picture
            return
        }
        let base = museum.base.split(separator: "/").dropFirst(2).count
        guard let target = RequestTarget.parse(target), target.segments.count > base else {
            self = .other
            return
        }
        let path = Array(target.segments.dropFirst(base))
        switch (museum, path.count) {
        case (.smk, 2): self = .list(.artwork, isOfChanges: false)
        case (.smk, _): self = .objects(.artwork, [target["object_number"] ?? ""])
        default:
            guard let kind = Self.kinds[path[0]] else {
                self = .other
                return
            }
            if path.count > 1 {
                self = path[1] == "search" ? .list(kind, isOfChanges: false) : .objects(kind, [path[1]])
            } else if let ids = target["ids"] {
                self = .objects(kind, ids.split(separator: ",").map(String.init))
            } else {
                self = .list(kind, isOfChanges: target["metadataDate"] != nil)
            }
        }
    }

    private static let kinds: [String: Kind] = [
        "objects": .artwork, "artworks": .artwork, "works": .artwork, "agents": .artist, "exhibitions": .show,
        "galleries": .location,
    ]

    /// The ids in the answer to a list, of any of the museums.
    static func ids(in body: [UInt8]) -> [String] {
        guard let answer = (try? JSONValue(parsing: body))?.objectValue else { return [] }
        if let ids = answer["objectIDs"]?.arrayValue { return ids.compactMap(\.idText) }
        let rows = ["data", "items", "works"].lazy.compactMap { answer[$0]?.arrayValue }.first ?? []
        return rows.compactMap(\.objectValue).compactMap { row in
            (row["object_number"] ?? row["id"] ?? row["ref"])?.idText
        }
    }

    /// Whether an answer says that there is no object, as SMK does with status 200.
    static func isEmpty(_ body: [UInt8]) -> Bool {
        (try? JSONValue(parsing: body))?.objectValue?["found"]?.numberValue?.intValue == 0
    }
}
