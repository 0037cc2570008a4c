import Catalogue
import Foundation
import GRDB
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("A first sync from a snapshot", .limitedConcurrency) struct SnapshotLoadTests {
    private static func partner() -> FakePartner {
        FakePartner { state in
            state.extensions = ["validators", "snapshot", "events"]
            state.hasListETags = true
            state.artist("x")
            for number in 0..<30 { state.artwork("w\(number)", artist: "x") }
            state.album("m", ["w3", "w1"])
        }
    }

    /// A mirror's contents: objects with their ETags, memberships, lists, the search index and the cache.
    private static func contents(_ mirror: TestMirror) throws -> [String] {
        try mirror.read { store in
            try store.read { db in
                func rows(_ sql: String) throws -> [String] { try String.fetchAll(db, sql: sql) }
                return try rows("SELECT id || ' ' || json || ' ' || etag FROM artwork ORDER BY id")
                    + rows("SELECT id || ' ' || json || ' ' || etag FROM artist")
                    + rows("SELECT id || ' ' || json || ' ' || etag FROM album")
                    + rows("SELECT album_id || position || artwork_id FROM album_artwork ORDER BY position")
                    + rows("SELECT artwork_id || artist_id FROM artwork_artist ORDER BY 1")
                    + rows(
                        "SELECT url || etag || complete || pending FROM list WHERE owner_kind <> 'partner' ORDER BY url"
                    )
                    + rows("SELECT kind || id FROM search_entry ORDER BY 1") + rows("SELECT id FROM partner")
            }
        } + cached(mirror)
    }

    private static func cached(_ mirror: TestMirror) throws -> [String] {
        let cache = CanonicalURLCache(
            file: URL(fileURLWithPath: try mirror.mirror.cache), origin: "http://origin.test/api/v1")
        return try mirror.partner.objects.keys.filter { $0.hasPrefix("/art") }.sorted().map { url in
            let entry = try #require(cache.entry(for: url))
            return "\(url) \(entry.etag ?? "") \(String(decoding: entry.body, as: UTF8.self))"
        }
    }

    /// The contents of a mirror whose objects were requested one by one. They are the same for all tests.
    private static let tree = Task {
        let server = Self.partner()
        server.change { $0.extensions = ["validators", "events"] }
        let mirror = try TestMirror(server)
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        return try Self.contents(mirror)
    }

    private static func byTree() async throws -> [String] { try await tree.value }

    /// Runs a sync with a server that `change` prepares.
    private static func loaded(
        _ change: (FakePartner) -> Void
    ) async throws -> (TestMirror, SyncSummary, [String]) {
        let partner = partner()
        change(partner)
        let mirror = try TestMirror(partner)
        let summary = try await mirror.sync { $0.media = false }
        let requests = partner.takeRequests().map { $0.replacing("GET ", with: "") }
        return (mirror, summary, requests)
    }

    @Test func aSnapshotStoresTheSameAsTheTree() async throws {
        let (mirror, summary, requests) = try await Self.loaded { $0.offer($0.snapshot()) }
        #expect(summary.outcome == .complete)
        #expect(
            requests.sorted() == [
                "", "/me", "/partner/p/all", "/partner/p/snapshot", "PUT /partner/p/partner_flags",
            ])
        #expect(try await Self.contents(mirror) == Self.byTree())
        #expect(summary.objects["artwork"] == .init(listed: 30, created: 30))
        #expect(summary.objects["album"] == .init(listed: 1, created: 1))
        #expect(try mirror.read { try $0.loop(LoopRecord.coreID)?.cursor } == "e1")
    }

    @Test func theSyncAfterASnapshotWritesNothing() async throws {
        let (mirror, _, _) = try await Self.loaded { $0.offer($0.snapshot()) }
        let before = try Self.contents(mirror)
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete && !summary.hasChanges)
        #expect(
            !mirror.partner.takeRequests().contains { $0.contains("/artwork/") || $0.contains("snapshot") })
        #expect(try Self.contents(mirror) == before)
    }

    @Test func aSnapshotWithoutListsUnderObjectsIsLoadedOnlyOnce() async throws {
        let partner = FakePartner { state in
            state.extensions = ["validators", "snapshot"]
            state.artwork("w")
        }
        partner.offer(partner.snapshot())
        let mirror = try TestMirror(partner)
        for _ in 0..<2 { #expect(try await mirror.sync { $0.media = false }.outcome == .complete) }
        #expect(partner.takeRequests().count { $0.contains("snapshot") } == 1)
    }

    @Test func aSnapshotIsOneEntryOfTheChangeLogAndExpiresEarlierEvents() async throws {
        let (mirror, _, _) = try await Self.loaded { $0.offer($0.snapshot()) }
        try mirror.read { store in
            let kinds = try store.read {
                try String.fetchAll($0, sql: "SELECT kind || action FROM change ORDER BY seq")
            }
            #expect(kinds.filter { $0 != "partnercreate" } == ["partnerupdate"])
            let latest = try #require(try store.latestEvent())
            let beginning = try #require(EventID("\(latest.log)-0-0"))
            #expect(
                try store.served { try $0.events(after: beginning, notBefore: "2000") } == .expired)
        }
    }

    @Test func afterABrokenSnapshotOnlyTheRestIsRequested() async throws {
        let (mirror, summary, requests) = try await Self.loaded { partner in
            let whole = partner.snapshot()
            partner.offer(Array(whole.prefix(12)), once: true)
            partner.offer(
                partner.snapshot(after: "/artwork/w17"),
                at: "/partner/p/snapshot?after=%2Fartwork%2Fw17&event_id=e1")
            #expect(whole[11].contains("/artwork/w17\""))
        }
        #expect(summary.outcome == .complete)
        #expect(requests.filter { $0.contains("snapshot") }.count == 2)
        #expect(
            !requests.contains("/artwork/w17") && !requests.contains { $0.hasPrefix("/partner/p/artworks") })
        #expect(try await Self.contents(mirror) == Self.byTree())
    }

    @Test func linesThatAnInterruptedRunStoredAreNotRequestedAgain() async throws {
        let partner = Self.partner()
        let mirror = try TestMirror(partner)
        partner.offer(Array(partner.snapshot().prefix(12)), once: true)
        partner.change {
            $0.overrides["/partner/p/snapshot?after=%2Fartwork%2Fw17&event_id=e1"] = .failure(.connectionLost)
        }
        // Otherwise the tree would continue: the cancelled run has the same state as a killed one.
        try await mirror.breakOff()
        #expect(try mirror.read { try $0.loadPosition()?.url } == "/artwork/w17")
        partner.change { $0.overrides = [:] }
        partner.offer(
            partner.snapshot(after: "/artwork/w17"),
            at: "/partner/p/snapshot?after=%2Fartwork%2Fw17&event_id=e1")
        _ = partner.takeRequests()
        let summary = try await mirror.sync { $0.media = false }
        #expect(summary.outcome == .complete)
        #expect(partner.takeRequests().filter { $0.contains("snapshot") }.count == 1)
        #expect(try mirror.read { try $0.loadPosition() } == nil)
        #expect(try await Self.contents(mirror) == Self.byTree())
    }

    /// The change log has no entries for a snapshot's objects, so a snapshot is loaded only into an empty mirror.
    @Test func aBrokenSnapshotIsNotResumedAfterTheListsWereRequested() async throws {
        let partner = Self.partner()
        let mirror = try TestMirror(partner)
        partner.offer(Array(partner.snapshot().prefix(12)), once: true)
        partner.change {
            $0.overrides["/partner/p/snapshot?after=%2Fartwork%2Fw17&event_id=e1"] = .failure(.connectionLost)
        }
        try await mirror.breakOff()
        partner.change { $0.overrides = [:] }
        #expect(try await mirror.sync { ($0.media, $0.full) = (false, true) }.outcome == .complete)
        _ = partner.takeRequests()
        #expect(try await mirror.sync { $0.media = false }.outcome == .complete)
        #expect(!partner.takeRequests().contains { $0.contains("snapshot") })
        #expect(try await Self.contents(mirror) == Self.byTree())
    }

    /// Adds spaces to the list of artworks and to that of the album's artworks, so that they are longer than the buffer.
    private static func withLongLists(_ lines: [String]) -> [String] {
        let spaces = String(repeating: " ", count: 300_000)
        return lines.map { line in
            guard let body = line.range(of: #""body":["#), line.contains("artworks?") else { return line }
            let (head, ids) = (line[..<body.upperBound], line[body.upperBound...])
            guard let first = ids.firstIndex(of: ",") else { return line }
            return head + ids[...first] + spaces + ids[ids.index(after: first)...]
        }
    }

    @Test func listsInASnapshotMayBeLongerThanTheBuffer() async throws {
        let (mirror, summary, requests) = try await Self.loaded { partner in
            let lines = Self.withLongLists(partner.snapshot())
            #expect(lines.filter { $0.utf8.count > 300_000 }.count == 2)
            partner.offer(lines)
        }
        #expect(summary.outcome == .complete)
        #expect(!requests.contains { $0.hasPrefix("/partner/p/artworks") })
        #expect(summary.objects["artwork"] == .init(listed: 30, created: 30))
        #expect(try await Self.contents(mirror) == Self.byTree())
    }

    @Test(arguments: [true, false]) func aTooLongObjectInASnapshotIsSkippedAndRequestedAlone(
        _ comesFirst: Bool
    ) async throws {
        let id = comesFirst ? "w0" : "w9"
        let (mirror, summary, requests) = try await Self.loaded { partner in
            let zeros = String(repeating: "0,", count: 2_200_000)
            partner.offer(
                partner.snapshot().map { line in
                    guard line.contains("\"/artwork/\(id)\"") else { return line }
                    return line.replacing(
                        "\"body\":{", with: "\"body\":{\"x\":[\(zeros)0],", maxReplacements: 1)
                })
        }
        // The rest of the snapshot is stored; the tree requests the skipped object.
        #expect(summary.outcome == .complete)
        #expect(requests.filter { $0.hasPrefix("/artwork/") } == ["/artwork/\(id)"])
        #expect(try await Self.contents(mirror) == Self.byTree())
    }

    @Test(arguments: ["/partner/p/album/m/artworks?ids=1&size=all", "/partner/p/artworks?ids=1&size=all"])
    func aListInASnapshotThatBrokeOffIsRequestedFromItsStart(_ url: String) async throws {
        let (mirror, summary, requests) = try await Self.loaded { partner in
            let lines = Self.withLongLists(partner.snapshot())
            guard let index = lines.firstIndex(where: { $0.contains("\"\(url)\"") }),
                case .entry(let before, _, _)? = try? Array(lines[index - 1].utf8).withUnsafeBytes({
                    try SnapshotLine($0)
                })
            else {
                Issue.record("no such list")
                return
            }
            let text = lines[..<index].map { "\($0)\n" }.joined() + lines[index].prefix(299_000)
            partner.change { $0.once[FakePartner.snapshotURL] = [.text(text)] }
            partner.offer(
                Self.withLongLists(partner.snapshot(after: before)),
                at: Router(partner: "p").snapshot(after: before, event: "e1").canonicalURL)
        }
        #expect(summary.outcome == .complete)
        #expect(requests.filter { $0.contains("snapshot") }.count == 2)
        #expect(!requests.contains { $0.hasPrefix("/partner/p/artworks") })
        #expect(try await Self.contents(mirror) == Self.byTree())
    }

    @Test func aSnapshotIsRestartedIfTheServerNoLongerHasItsRest() async throws {
        let (mirror, summary, requests) = try await Self.loaded { partner in
            partner.offer(Array(partner.snapshot().prefix(12)), once: true)
            partner.offer(partner.snapshot(event: "e2"))
            partner.change {
                $0.overrides["/partner/p/snapshot?after=%2Fartwork%2Fw17&event_id=e1"] = .text(
                    "{}", status: 409)
            }
        }
        #expect(summary.outcome == .complete)
        #expect(requests.filter { $0.contains("snapshot") }.count == 3)
        // Objects of the first answer may be deleted by now, so the lists are requested.
        #expect(requests.contains { $0.hasPrefix("/partner/p/artworks") })
        #expect(try await Self.contents(mirror) == Self.byTree())
    }

    private static func broken(_ how: String, _ lines: [String]) -> [String] {
        var lines = lines
        #expect(lines[0].contains("\"count\":40"))
        switch how {
        case "without an end": lines.removeLast()
        case "with a line too few": lines.remove(at: 5)
        case "out of order": lines.swapAt(5, 6)
        case "with a line twice": lines.insert(lines[5], at: 5)
        case "with an object that can't be read":
            lines[5] = lines[5].replacing("\"body\":{", with: "\"body\":{]")
        case "with another object than the URL says":
            lines[5] = lines[5].replacing("\"id\":\"w", with: "\"id\":\"v")
        case "with another partner":
            lines = lines.map { line in
                line.contains("\"/partner/p/all\"")
                    ? line.replacing("\"id\":\"p\"", with: "\"id\":\"P\"") : line
            }
        case "without a head": lines.removeFirst()
        case "without an ETag": lines[5] = lines[5].replacing("\"etag\":", with: "\"tag\":")
        case "that is a web page": lines = ["<html>"]
        case "with more behind its end": lines.append(lines[5])
        case "that lacks a listed object":
            lines = lines.filter { !$0.contains("\"/artwork/w5\"") }
                .map { $0.replacing("\"count\":40", with: "\"count\":39") }
        case "with a long list that names another":
            lines = withLongLists(lines).map { line in
                line.contains("/artworks?ids=1") ? line.replacing("\"w7\"", with: "\"w77\"") : line
            }
        case "with a long list that has no end":
            lines = withLongLists(lines).map { line in
                line.utf8.count > 300_000 ? line.replacing("]}", with: "}") : line
            }
        case "that names nothing": lines = []
        case "with a head beyond all bounds":
            lines[0] = lines[0].replacing("\"count\":40", with: "\"count\":9000000000000000000")
        default: Issue.record("\(how) is not known")
        }
        return lines
    }

    @Test(arguments: [
        "without an end", "with a line too few", "out of order", "with a line twice",
        "with an object that can't be read", "with another object than the URL says", "with another partner",
        "without a head", "without an ETag", "that is a web page", "with more behind its end",
        "that lacks a listed object",
        "that names nothing", "with a head beyond all bounds", "with a long list that names another",
        "with a long list that has no end",
    ]) func afterAnInvalidSnapshotTheTreeRequestsTheLists(_ how: String) async throws {
        let (mirror, summary, requests) = try await Self.loaded { partner in
            partner.offer(Self.broken(how, partner.snapshot()))
        }
        #expect(summary.outcome == .complete, "\(how)")
        #expect(requests.contains { $0.hasPrefix("/partner/p/artworks") }, "\(how)")
        #expect(try await Self.contents(mirror) == Self.byTree(), "\(how)")
    }

    @Test(arguments: [404, 405, 500, 501]) func withoutASnapshotOnTheServerTheTreeIsUsed(_ status: Int)
        async throws
    {
        let (mirror, summary, _) = try await Self.loaded { partner in
            partner.change { $0.overrides[FakePartner.snapshotURL] = .text("{}", status: status) }
        }
        #expect(summary.outcome == .complete)
        #expect(try await Self.contents(mirror) == Self.byTree())
    }

    @Test func aMirrorWithContentsLoadsNoSnapshot() async throws {
        let partner = Self.partner()
        partner.change { $0.extensions = ["validators"] }
        let mirror = try TestMirror(partner)
        try await mirror.sync { $0.media = false }
        partner.change { $0.extensions = ["validators", "snapshot"] }
        partner.offer(partner.snapshot())
        _ = partner.takeRequests()
        try await mirror.sync { $0.media = false }
        #expect(!partner.takeRequests().contains { $0.contains("snapshot") })
    }
}

extension TestMirror {
    /// Runs a sync that is cancelled while it loads a snapshot.
    fileprivate func breakOff() async throws {
        let partner = partner
        let task = Task {
            partner.change { state in
                state.during["GET /partner/p/snapshot?after=%2Fartwork%2Fw17&event_id=e1"] = {
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            return try await self.sync { $0.media = false }
        }
        _ = try? await task.value
    }
}
