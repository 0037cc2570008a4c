import Catalogue
import Foundation
import MirrorHTTP
import MirrorSimulation
import MirrorStore
import Synchronization
import Testing

/// A bug that breaks an invariant. It is injected from outside, so the shipped code stays unchanged.
struct PlantedBug: Sendable, CustomTestStringConvertible {
    let invariant: Invariant
    /// A sentence that describes the bug.
    let name: String
    let injectedBug: InjectedBug
    /// The first seed that is tried. Each bug is found by a seed from 1 to 200; beginning with that seed saves most of the tests'
    /// time.
    let first: UInt64

    var testDescription: String { "\(invariant.rawValue): \(name)" }

    init(_ invariant: Invariant, _ name: String, first: UInt64 = 1, _ injectedBug: InjectedBug) {
        self.first = first
        self.invariant = invariant
        self.name = name
        self.injectedBug = injectedBug
    }

    private init(
        _ invariant: Invariant, _ name: String, first: UInt64 = 1, tamper: @escaping TamperingTransport.Tamper
    ) {
        self.init(
            invariant, name, first: first,
            InjectedBug(transport: { inner, _ in TamperingTransport(inner, tamper: tamper) }))
    }

    static let all: [PlantedBug] = [
        PlantedBug(
            .incompleteListsDeleteNothing, "a failed list is replaced by the last one without a member",
            first: 4,
            InjectedBug(transport: { inner, folder in
                TamperingTransport(inner) { request, result in
                    guard isOwnList(request) else { return try result.get() }
                    let name = "\(folder.path) \(request.url)"
                    if case .success(let answer) = result, answer.status < 400, isArray(answer) {
                        if answer.status == 200 { lists.withLock { $0[name] = answer.body } }
                        return answer
                    }
                    guard let last = lists.withLock({ $0[name] }) else { return try result.get() }
                    return shorter(TamperingTransport.Answer(status: 200, body: last))
                }
            })),
        PlantedBug(.listedObjectsAreMarked, "the last member of a list is overlooked") { request, result in
            let answer = try result.get()
            return isOwnList(request) && answer.status == 200 ? shorter(answer) : answer
        },
        PlantedBug(.pageAndCursorAreAtomic, "only the cursor of a page of events is stored", first: 10) {
            request, result in
            var answer = try result.get()
            guard request.url.contains("/events/"), answer.status == 200,
                let start = answer.text.firstRange(of: #""events":["#)
            else { return answer }
            answer.body = Array((answer.text[..<start.upperBound] + "]}").utf8)
            return answer
        },
        PlantedBug(
            .readersSeeCompleteObjects, "an artwork's second artist is left out",
            InjectedBug(
                sql: """
                    CREATE TRIGGER planted AFTER INSERT ON artwork_artist WHEN NEW.position = 1 BEGIN
                      DELETE FROM artwork_artist WHERE artwork_id = NEW.artwork_id AND position = 1;
                    END
                    """)),
        PlantedBug(
            .filesAreIntact, "a file is renamed before all of its bytes are on the disk", first: 31,
            InjectedBug(afterCrash: { folder in
                let media = "\(folder.path)/media"
                for name in (try? FileManager.default.subpathsOfDirectory(atPath: media)) ?? []
                where name.hasSuffix(".jpg") {
                    let url = URL(filePath: "\(media)/\(name)")
                    try Data(contentsOf: url).dropLast().write(to: url)
                }
            })),
        PlantedBug(
            .killedRunsConverge, "an artwork's ETag is lost", first: 20,
            InjectedBug(
                sql: """
                    CREATE TRIGGER planted AFTER INSERT ON artwork BEGIN
                      UPDATE artwork SET etag = '"lost"' WHERE id = NEW.id;
                    END
                    """)),
        PlantedBug(
            .mirrorEqualsServer, "the first artwork of a show is left out", first: 14,
            InjectedBug(
                sql: """
                    CREATE TRIGGER planted AFTER INSERT ON show_artwork WHEN NEW.position = 0 BEGIN
                      DELETE FROM show_artwork WHERE show_id = NEW.show_id AND position = 0;
                    END
                    """)),
        PlantedBug(
            .unchangedWritesNothing, "each run writes all artworks again",
            InjectedBug(
                sql: """
                    CREATE TRIGGER planted AFTER INSERT ON sync_log BEGIN UPDATE artwork SET title = title; END
                    """)),
        PlantedBug(
            .localEditsSurvive, "an album's new name is not marked for pushing",
            InjectedBug(
                sql: """
                    CREATE TRIGGER planted AFTER UPDATE ON album
                    WHEN NEW.sync_state = 'sync_needed' AND OLD.sync_state = 'in_sync' BEGIN
                      UPDATE album SET sync_state = 'in_sync' WHERE id = NEW.id;
                    END
                    """)),
        PlantedBug(.secretsStaySecret, "a request's secret is stored with the answer", first: 3) {
            request, result in
            var answer = try result.get()
            let secrets = request.headers.lines.filter { ["X-Access-Token", "Cookie"].contains($0.name) }
                .map(\.value)
            guard let secret = secrets.first, answer.status == 200, answer.text.hasPrefix(#"{"#) else {
                return answer
            }
            answer.body = Array("{\"asked_with\":\"\(secret)\",\(answer.text.dropFirst())".utf8)
            return answer
        },
        PlantedBug(
            .oneRunAtATime, "the lock file is removed during a run",
            InjectedBug(transport: { inner, folder in
                TamperingTransport(inner) { _, result in
                    unlink(folder.lock)
                    return try result.get()
                }
            })),
        PlantedBug(
            .serverDataIsUntrusted, "an answer is written to a file named after its URL",
            InjectedBug(transport: { inner, folder in
                TamperingTransport(inner) { request, result in
                    let answer = try result.get(), name = request.url.split(separator: "/").last ?? ""
                    if request.url.contains("/artwork/"), let id = PercentEncoding.decode(name) {
                        try? Data(answer.body).write(to: URL(filePath: "\(folder.path)/\(id)"))
                    }
                    return answer
                }
            })),
        PlantedBug(
            .reportsAreAccurate, "list elements without a usable id are ignored and not reported",
            first: 49,
            tamper: usable),
    ]

    /// Further bugs, which only some histories can find.
    static let others =
        inMemberships + [inSnapshot, meanwhile, inUnusable, inGuarded] + inPauses

    /// A list that has an element without a usable id must not be swept.
    static let inUnusable = PlantedBug(
        .incompleteListsDeleteNothing, "a list with an unusable element counts as complete", first: 42,
        tamper: usable)

    /// A run that the delete guard stopped must not lose members of membership lists.
    static let inGuarded = PlantedBug(
        .incompleteListsDeleteNothing, "a run that the guard stopped loses documents", first: 30,
        InjectedBug(
            sql: """
                CREATE TRIGGER planted AFTER UPDATE ON sync_log WHEN NEW.outcome = 'guarded' BEGIN
                  DELETE FROM document WHERE show_id IS NOT NULL;
                END
                """))

    /// Removes elements without a usable id from lists.
    private static let usable: TamperingTransport.Tamper = { request, result in
        var answer = try result.get()
        guard request.url.contains("ids=1"), answer.status == 200,
            case .array(let elements)? = try? JSONValue(parsing: answer.text)
        else { return answer }
        let named = elements.filter { ($0.objectValue?["id"] ?? $0).idText != nil }
        guard named.count < elements.count else { return answer }
        answer.body = Array(JSONValue.array(named).canonicalText.utf8)
        return answer
    }

    /// Found only if a history has a first sync by a snapshot.
    static let inSnapshot = PlantedBug(
        .mirrorEqualsServer, "a snapshot's first title is misread", first: 40
    ) { request, result in
        var answer = try result.get()
        guard request.url.contains("/snapshot"), answer.status == 200,
            let title = answer.text.firstRange(of: #""title":""#)
        else { return answer }
        answer.body = Array(answer.text.replacingCharacters(in: title, with: #""title":"not "#).utf8)
        return answer
    }

    /// Found only if the checks compare membership lists.
    static let inMemberships = [("show", 5), ("location", 28)].map { (kind: String, first: UInt64) in
        PlantedBug(
            .incompleteListsDeleteNothing, "each run loses the first artwork of each \(kind)", first: first,
            InjectedBug(
                sql: """
                    CREATE TRIGGER planted AFTER INSERT ON sync_log BEGIN
                      DELETE FROM \(kind)_artwork WHERE position = 0;
                    END
                    """))
    }

    /// Found only if a mirror is checked during a run: at its end, the page is stored.
    static let meanwhile = PlantedBug(
        .pageAndCursorAreAtomic, "the cursor of a page of events is stored before the page",
        first: 10,
        InjectedBug(transport: { inner, folder in
            TamperingTransport(inner) { request, result in
                if let late = pages.withLock({ $0.removeValue(forKey: "\(folder.path) \(request.url)") }) {
                    return late
                }
                var answer = try result.get()
                guard request.url.contains("/partner/p/events/"), answer.status == 200,
                    case .object(var page)? = try? JSONValue(parsing: answer.text),
                    let end = page["event_id"]?.stringValue, page["events"]?.arrayValue?.isEmpty == false
                else { return answer }
                let url = request.url.prefix { $0 != "?" }.split(separator: "/").dropLast().joined(
                    separator: "/")
                pages.withLock { [answer] in
                    $0["\(folder.path) \(url.replacing("http:/", with: "http://"))/\(end)"] = answer
                }
                page["events"] = .array([])
                page["more"] = .number(JSONNumber(1))
                answer.body = Array(page.canonicalText.utf8)
                return answer
            }
        }))

    /// Pages of events that are delayed, by the mirror and the URL of the later request that gets them.
    private static let pages = Mutex<[String: TamperingTransport.Answer]>([:])

    /// The last complete lists, by mirror and URL.
    private static let lists = Mutex<[String: [UInt8]]>([:])

    private static func isOwnList(_ request: TransportRequest) -> Bool {
        request.url.contains("ids=1")
            && ["artworks", "artists", "shows", "albums", "locations"].contains { kind in
                request.url.contains("/partner/p/\(kind)?")
            }
    }

    private static func isArray(_ answer: TamperingTransport.Answer) -> Bool {
        if answer.status == 304 { return true }
        guard case .array? = try? JSONValue(parsing: answer.text) else { return false }
        return true
    }

    private static func shorter(_ answer: TamperingTransport.Answer) -> TamperingTransport.Answer {
        guard case .array(let members)? = try? JSONValue(parsing: answer.text), members.count > 1 else {
            return answer
        }
        var answer = answer
        answer.body = Array(JSONValue.array(Array(members.dropLast())).canonicalText.utf8)
        return answer
    }
}
