import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

/// A made-up museum with a few works, whose answers a test can replace, and a mirror of it by a description in a file.
///
/// `/works` lists whole works (`{"total":…, "data":[…]}`), in pages if the request has `size`; `department`, `ids` and `since` select
/// some. `/works/ID` is a work, or 404. Any address of another host is a picture.
struct ScriptedMuseum {
    /// The answer to a request; `nil` for the museum's usual one. Its target is below ``base``, or a whole URL of another host.
    typealias Answers = @Sendable (_ target: String) -> ScriptedAnswer?

    static let base = "https://api.museum.test/v1"
    let mirror: DescribedMirror
    private let shelf: Shelf
    private let file: URL

    init(_ description: SmallDescription = SmallDescription(), works: [JSONObject] = Self.works(5)) throws {
        let home = try TemporaryHome(), folder = URL(fileURLWithPath: home.path).appending(path: "sources")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        file = folder.appending(path: "tiny.yaml")
        let shelf = Shelf(works)
        self.shelf = shelf
        mirror = try DescribedMirror(
            file.path, home: home, clock: DescribedMirror.clock(),
            ScriptedTransport(base: Self.base) { shelf.answer(to: $0) })
        try describe(description)
    }

    /// Replaces the description's file.
    func describe(_ description: SmallDescription) throws {
        try description.yaml.write(to: file, atomically: true, encoding: .utf8)
    }

    /// The works in the order in which the museum lists them.
    var works: [JSONObject] {
        get { shelf.works.withLock { $0 } }
        nonmutating set { shelf.works.withLock { $0 = newValue } }
    }

    /// Replaces answers of the museum, until the next call.
    func answer(_ answers: @escaping Answers = { _ in nil }) { shelf.answers.withLock { $0 = answers } }

    func remove(_ ids: String...) { works.removeAll { ids.contains($0["id"]?.stringValue ?? "") } }

    /// Changes a work.
    func change(_ id: String, _ fields: JSONObject) {
        works = works.map { work in
            guard work["id"]?.stringValue == id else { return work }
            var work = work
            for field in fields.members { work[field.key] = field.value }
            return work
        }
    }

    @discardableResult
    func sync(_ change: (inout SyncOptions) -> Void = { _ in }) async throws -> SyncSummary {
        try await mirror.sync(change)
    }

    /// The targets of the requests since the last call, in order.
    func requests() -> [String] { mirror.network.take().map { Self.target($0.url) } }

    /// The requests since the last call by the own URLs of works, as ids, in order.
    func requestedWorks() -> [String] { Self.workIDs(requests()) }

    static func workIDs(_ targets: [String]) -> [String] {
        targets.filter { $0.hasPrefix("/works/") }.map { String($0.dropFirst(7)) }
    }

    var ids: [String] { get throws { try mirror.ids(.artwork) } }

    /// The titles of the stored works, by id.
    var titles: [String: String] {
        get throws {
            try mirror.read { store in
                Dictionary(
                    uniqueKeysWithValues: try store.fetchAll(Artwork.self).map { ($0.id, $0.title ?? "") })
            }
        }
    }

    /// The works that are counted as missing, with the number of lists that lacked them.
    var missing: [String: Int] {
        get throws {
            try mirror.read { store in
                var missing: [String: Int] = [:]
                try store.missing(.artwork) { missing[$0.summary.id] = $0.lists }
                return missing
            }
        }
    }

    /// The error that ends a sync, or that keeps it from beginning; `nil` if there is none.
    func syncError(_ change: (inout SyncOptions) -> Void = { _ in }) async throws -> SyncError? {
        do {
            return try await sync(change).cause as? SyncError
        } catch let error as SyncError {
            return error
        }
    }

    // MARK: - Contents

    /// A work with the version `a`, and further fields.
    static func work(_ id: String, _ fields: JSONObject = [:]) -> JSONObject {
        var work: JSONObject = ["id": .string(id), "title": .string("Work \(id)"), "version": "a"]
        for field in fields.members { work[field.key] = field.value }
        return work
    }

    /// Works with ids from 1 on.
    static func works(_ count: Int, _ fields: JSONObject = [:]) -> [JSONObject] {
        (1...count).map { work(String($0), fields) }
    }

    /// Ids from 1 on, sorted as texts.
    static func ids(_ count: Int) -> [String] { (1...count).map(String.init).sorted() }

    static func target(_ url: String) -> String {
        url.hasPrefix(base) ? String(url.dropFirst(base.count)) : url
    }

    // MARK: - Answers

    static let html = ScriptedAnswer.text(
        "<!DOCTYPE html><html><body>Not here</body></html>", contentType: "text/html")
    static func html(_ status: Int) -> ScriptedAnswer {
        .text("<html><body>Not here</body></html>", status: status, contentType: "text/html")
    }
    static func failure(_ status: Int) -> ScriptedAnswer {
        .text(#"{"message":"It failed."}"#, status: status)
    }
    /// An answer of another shape than that of a list or work.
    static let otherShape = ScriptedAnswer.text(#"{"error":"x"}"#)
}

/// What the museum holds, and how it answers.
private final class Shelf: Sendable {
    let works: Mutex<[JSONObject]>
    let answers = Mutex<ScriptedMuseum.Answers>({ _ in nil })

    init(_ works: [JSONObject]) { self.works = Mutex(works) }

    func answer(to request: TransportRequest) -> ScriptedAnswer {
        let target = ScriptedMuseum.target(request.url)
        if let answer = answers.withLock({ $0 })(target) { return answer }
        guard target.hasPrefix("/") else { return Self.picture }
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let works = works.withLock { $0 }
        if parts[0] == "/works" { return list(works, parts.count > 1 ? parts[1] : "") }
        guard parts[0].hasPrefix("/works/"),
            let work = works.first(where: { $0["id"]?.stringValue == String(parts[0].dropFirst(7)) })
        else { return ScriptedMuseum.failure(404) }
        return .text(work.canonicalText)
    }

    private static let picture = ScriptedAnswer.response(
        headers: ["Content-Type": "image/jpeg"],
        body: [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 1, count: 60))

    private func list(_ works: [JSONObject], _ query: String) -> ScriptedAnswer {
        var items: [String: String] = [:]
        for item in query.split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1).map(String.init)
            items[pair[0]] = pair.count > 1 ? pair[1].removingPercentEncoding : ""
        }
        var works = works
        if let ids = items["ids"]?.split(separator: ",").map(String.init) {
            works = works.filter { ids.contains($0["id"]?.stringValue ?? "") }
        }
        if let department = items["department"] {
            works = works.filter { $0["department"]?.stringValue == department }
        }
        if let since = items["since"] {
            works = works.filter { $0["changed"]?.stringValue ?? "" >= since }
        }
        let total = works.count
        if let size = items["size"].flatMap(Int.init) {
            let start =
                items["offset"].flatMap(Int.init) ?? ((items["page"].flatMap(Int.init) ?? 1) - 1) * size
            works = Array(works.dropFirst(start).prefix(size))
        }
        let answer: JSONObject = [
            "total": .number(JSONNumber(total)), "data": .array(works.map(JSONValue.object)),
        ]
        return .text(answer.canonicalText)
    }
}
