import Catalogue
import Foundation
import MirrorSimulation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// "What a simulated server must be able to do wrong" (SOURCES.md G). "Every fault of G deletes nothing that exists" (issue 46).
@Suite("What goes wrong at museums", .limitedConcurrency) struct MuseumFaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let museum: ImitatedMuseum.Name
        let fault: ImitationFault
        var testDescription: String { "\(museum): \(fault.rawValue)" }
    }

    /// All faults that begin at any time.
    static let faults = MuseumMirror.museums.flatMap { name in
        name.faults.filter { $0 != .spacesInNumbers }.map { Case(museum: name, fault: $0) }
    }

    @Test(arguments: faults)
    func `a fault deletes nothing that exists, and passes`(_ this: Case) async throws {
        let museum = try MuseumMirror(this.museum)
        #expect(try await museum.sync().outcome == .complete)
        let before = try museum.contents()
        museum.museum.faults = [this.fault]
        for round in 0..<5 {
            museum.mirror.pass(days: 1, hours: 1)
            let summary = try await museum.sync { $0.full = round == 3 }
            // A list whose total moves isn't complete. Everything else is no failure of an unchanged catalogue.
            let isAllowed =
                summary.outcome == .complete || this.fault == .totalMoves && summary.outcome == .partial
            #expect(isAllowed, "round \(round): \(summary.outcome) \(summary.problems)")
            #expect(try museum.mirror.deletions() == [:], "round \(round)")
        }
        museum.museum.faults = []
        museum.mirror.pass(days: 1, hours: 1)
        #expect(try await museum.sync().outcome == .complete)
        #expect(try museum.contents() == before)
        #expect(before == museum.expected())
    }

    // MARK: - A first copy

    /// Syncs once with a fault, and once a day later without it.
    ///
    /// - Returns: the museum, the summary and the contents of the first sync.
    private func firstCopy(
        _ name: ImitatedMuseum.Name, _ fault: ImitationFault, _ catalogue: MuseumCatalogue = .small,
        media: Bool = true
    ) async throws -> (museum: MuseumMirror, summary: SyncSummary, contents: MuseumMirror.Contents) {
        let museum = try MuseumMirror(name, catalogue, faults: [fault])
        let summary = try await museum.sync { $0.media = media }
        let contents = try museum.contents()
        if fault != .spacesInNumbers { museum.museum.faults = [] }
        museum.mirror.pass(days: 1, hours: 1)
        _ = museum.requests()
        #expect(try await museum.sync { $0.media = media }.outcome == .complete)
        #expect(try museum.contents() == museum.expected(media: media))
        #expect(try museum.mirror.deletions() == [:])
        return (museum, summary, contents)
    }

    // "a WAF answers 403 text/html […] after 30–75 requests, for 1–3 minutes"
    @Test func `a firewall that blocks for two minutes is waited for`() async throws {
        let (museum, summary, contents) = try await firstCopy(.met, .blocksAfter40, .plain(60))
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(contents == museum.expected())
        #expect(summary.requests.waited >= .seconds(120))
    }

    // "It also answers 200 with an HTML iframe"
    @Test func `a page of the firewall with status 200 is no object`() async throws {
        let (museum, summary, contents) = try await firstCopy(.met, .htmlWith200, .plain(30))
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(contents == museum.expected())
    }

    // "Listed ids do 404 (loans, restricted: #47, #56)"
    @Test func `listed works that answer 404 are reported as not available, and are no failure`() async throws
    {
        let museum = try MuseumMirror(.met, .plain(30), faults: [.missingObjects])
        let summary = try await museum.sync()
        let missing = 30 - (try museum.contents().works.count)
        #expect(missing > 0 && summary.outcome == .complete, "\(summary.problems)")
        #expect(summary.inaccessible == missing)
        #expect(summary.objects["artwork"]?.failed == 0)
        _ = museum.requests()
        museum.mirror.pass(hours: 12)
        #expect(try await museum.sync().outcome == .complete)
        #expect(museum.ownRequests(museum.requests().api) == 0, "not again within a day")
        museum.mirror.pass(hours: 13)
        #expect(try await museum.sync().outcome == .complete)
        #expect(museum.ownRequests(museum.requests().api) == missing, "again after a day")
        museum.museum.faults = []
        museum.mirror.pass(days: 1, hours: 1)
        #expect(try await museum.sync().outcome == .complete)
        #expect(try museum.contents() == museum.expected())
    }

    @Test func `listed works that answer 404 are counted, and are no findings`() async throws {
        let museum = try MuseumMirror(.met, .plain(30), faults: [.missingObjects])
        let summary = try await museum.sync()
        let missing = summary.inaccessible
        #expect(missing > 0 && summary.absent == [.artwork: missing])
        for hours in [1, 12, 36] {
            museum.mirror.pass(hours: hours)
            for remote in [false, true] {
                let (verified, findings) = try await museum.mirror.verify { $0.remote = remote }
                #expect(verified.outcome == .complete && findings == [], "after \(hours) hours")
                #expect(verified.absent == [.artwork: missing])
            }
            #expect(try museum.mirror.read { try $0.copyProgress() } == [], "the copy is complete")
        }
        museum.museum.faults = []
        #expect(try await museum.sync().absent == [:])
        #expect(try museum.contents() == museum.expected())
    }

    // "and ids 'cycle in and out' (#46)"
    @Test func `works that are away every other day are never removed`() async throws {
        let museum = try MuseumMirror(.met, .plain(30))
        try await museum.sync()
        museum.museum.faults = [.absentEveryOtherDay]
        for _ in 0..<8 {
            museum.mirror.pass(days: 1)
            #expect(try await museum.sync().outcome == .complete)
        }
        #expect(try museum.contents() == museum.expected())
        #expect(try museum.mirror.deletions() == [:])
    }

    // "newest `updated_at` first: pages slide while one crawls"
    @Test func `a record that is bumped to page one while the list is read is found there`() async throws {
        let (museum, summary, contents) = try await firstCopy(
            .artic, .bumpsARecord, .plain(250), media: false)
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(contents == museum.expected(media: false))
    }

    // "a `W/` prefix added by a CDN would never match"
    @Test func `validators that never match cost answers, but change nothing`() async throws {
        let (museum, summary, contents) = try await firstCopy(.artic, .weakValidators)
        #expect(summary.outcome == .complete)
        #expect(contents == museum.expected())
    }

    // "Cloudflare's managed challenge on `www.artic.edu/iiif` (`cf-mitigated: challenge`, HTML)"
    @Test func `a challenge on pictures costs the pictures alone`() async throws {
        let (museum, summary, contents) = try await firstCopy(.artic, .challengesPictures)
        #expect(summary.outcome == .partial)
        var expected = museum.expected()
        for id in expected.works.keys { expected.works[id]?.files = 0 }
        #expect(contents == expected)
        #expect(!summary.problems.isEmpty || summary.failure != nil)
    }

    // "No stated order: treat as unstable"; "`total` moves by one"
    @Test(arguments: [ImitationFault.totalMoves, .orderChanges])
    func `a list that changes while it is read adds works, but proves nothing`(fault: ImitationFault)
        async throws
    {
        let (museum, summary, contents) = try await firstCopy(.cleveland, fault, .plain(1_010), media: false)
        #expect(summary.outcome == .partial)
        #expect(summary.problems.contains { $0.what == "incomplete list" }, "\(summary.problems)")
        let all = museum.expected(media: false)
        #expect(contents.works.allSatisfy { all.works[$0.key] == $0.value })
        #expect(contents.works.count >= 1_000)
    }

    @Test(arguments: [ImitationFault.totalMoves, .orderChanges])
    func `incomplete lists are not counted as absences`(fault: ImitationFault) async throws {
        var museum = try MuseumMirror(.cleveland, .plain(1_010))
        try await museum.sync { $0.media = false }
        museum.remove("1007")
        museum.museum.faults = [fault]
        // Three complete lists over two days would remove it.
        for _ in 0..<3 {
            museum.mirror.pass(days: 1, hours: 1)
            let summary = try await museum.sync { $0.media = false }
            #expect(summary.outcome == .partial)
        }
        #expect(try museum.mirror.ids(.artwork).contains("1007"))
        var missing = 0
        try museum.mirror.read { try $0.missing(.artwork) { _ in missing += 1 } }
        #expect(missing == 0)
    }

    // "`image_id` may be present and 404 (api-data#4)"; "some 404 (#1, #8)"
    @Test(arguments: MuseumMirror.museums)
    func `pictures that answer 404 are not available, and are no failure`(name: ImitatedMuseum.Name)
        async throws
    {
        var catalogue = MuseumCatalogue.small
        catalogue.works += (101...130).map { MuseumCatalogue.Work(id: String($0), title: "Work \($0)") }
        let museum = try MuseumMirror(name, catalogue, faults: [.missingPictures])
        let summary = try await museum.sync()
        #expect(summary.outcome == .complete, "\(summary.problems)")
        var expected = museum.expected()
        let wanted = expected.works.values.map(\.files).reduce(0, +)
        let contents = try museum.contents()
        let found = contents.works.values.map(\.files).reduce(0, +)
        #expect(found < wanted)
        for (id, work) in contents.works { expected.works[id]?.files = work.files }
        #expect(contents == expected)
        _ = museum.requests()
        museum.mirror.pass(hours: 12)
        try await museum.sync()
        #expect(museum.requests().pictures == [], "not again within a day")
        museum.museum.faults = []
        museum.mirror.pass(hours: 13)
        try await museum.sync()
        let again = museum.requests().pictures.count
        // First pictures are requested in two formats where the museum offers them.
        #expect(name.offersMedium ? again > wanted - found : again == wanted - found, "again after a day")
        #expect(try museum.contents() == museum.expected())
    }

    // "`alternative_images[]` (duplicates: #875)"
    @Test func `a picture that is named twice counts once`() async throws {
        let (museum, summary, contents) = try await firstCopy(.smk, .duplicatePictures)
        #expect(summary.outcome == .complete)
        #expect(contents == museum.expected())
    }

    // "numbers contain spaces: encode"
    @Test func `ids with spaces are requested percent-encoded and removed like others`() async throws {
        let museum = try await firstCopy(.smk, .spacesInNumbers).museum
        #expect(try museum.mirror.ids(.artwork).allSatisfy { $0.hasPrefix("KMS ") })
        var changed = museum
        changed.remove("8")
        for _ in 0..<3 {
            changed.mirror.pass(days: 1, hours: 1)
            try await changed.sync()
        }
        #expect(try changed.contents() == changed.expected())
    }
}
