import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("A server in trouble", .fewAtATime)
struct ServerTroubleTests {
    private static let partnerURL = "/partner/p/all"
    private let clock = VirtualClock(.jumping)

    /// A sync in virtual time.
    ///
    /// - Parameters:
    ///   - statuses: the server's answers to status requests, in order, then 200; `nil` is no answer.
    ///   - recovers: whether the other requests succeed after a status of 200.
    private func sync(
        _ mirror: TestMirror, statuses: [Int?] = [], recovers: Bool = false,
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> SyncSummary {
        var options = SyncOptions()
        options.synchronous = true
        change(&options)
        let partner = mirror.partner, clock = clock, left = Mutex(statuses)
        return try await Sync(
            partner: "p", folder: mirror.mirror, base: "http://origin.test/api/v1", options: options,
            now: { Date(timeIntervalSince1970: 1_795_000_000) }
        ) { base, cache in
            let transport = ScriptedTransport(base: base) { request in
                guard request.url.hasSuffix("/status") else { return partner.answer(request) }
                let answer = left.withLock { $0.isEmpty ? 200 : $0.removeFirst() }
                partner.change { state in
                    state.requests.append("GET /status")
                    if answer == 200, recovers { state.overrides = [:] }
                }
                return answer.map { .text("{}", status: $0) } ?? .failure(.cannotConnect)
            }
            return try InterceptableSession(
                base: base, transport: transport, cache: cache,
                configuration: SessionConfiguration(clock: clock.sessionClock, random: { 0 }))
        }.run()
    }

    private func mirror(
        _ extensions: [String] = ["validators", "status"], _ change: (inout sending FakePartner.State) -> Void
    ) throws -> TestMirror {
        let partner = FakePartner { state in
            state.extensions = extensions
            state.artist("x")
            state.artwork("a")
        }
        partner.change(change)
        return try TestMirror(partner)
    }

    private func statuses(_ requests: [String]) -> Int { requests.count { $0 == "GET /status" } }

    // MARK: - The partner

    @Test func aPartnerThatFailsForAWhileIsWaitedFor() async throws {
        let mirror = try mirror { $0.overrides[Self.partnerURL] = .text("{}", status: 503) }
        let summary = try await sync(mirror, statuses: [503, 500], recovers: true)
        #expect(summary.outcome == .complete, "\(summary.failure ?? "")")
        #expect(clock.waits == [.seconds(10), .seconds(60)])
        #expect(statuses(mirror.partner.takeRequests()) == 3)
    }

    @Test func aPartnerThatKeepsFailingFailsTheRunAfterThreeRestarts() async throws {
        let mirror = try mirror { $0.overrides[Self.partnerURL] = .text("{}", status: 503) }
        let summary = try await sync(mirror)
        #expect(summary.outcome == .failed && (summary.cause as? SyncError)?.code == .serverTrouble)
        let message = summary.failure ?? ""
        for word in ["503", Self.partnerURL, "--fail-fast", "--max-wait"] {
            #expect(message.contains(word), "\(message)")
        }
        let requests = mirror.partner.takeRequests()
        #expect(statuses(requests) == 3)
        #expect(requests.count { $0 == "GET \(Self.partnerURL)" } == 4)
    }

    @Test func maxWaitLimitsTheWaitForThePartner() async throws {
        let mirror = try mirror { $0.overrides[Self.partnerURL] = .text("{}", status: 503) }
        let summary = try await sync(mirror, statuses: Array(repeating: 503, count: 50)) {
            $0.maxWait = .seconds(35)
        }
        #expect(summary.outcome == .failed && summary.failure?.contains("--max-wait") == true)
        #expect(clock.waits == [.seconds(10), .seconds(10), .seconds(10), .seconds(5)])
    }

    @Test func failFastDoesNotWaitForThePartner() async throws {
        let mirror = try mirror { $0.overrides[Self.partnerURL] = .text("{}", status: 503) }
        #expect(try await sync(mirror) { $0.failFast = true }.outcome == .failed)
        #expect(statuses(mirror.partner.takeRequests()) == 0)
    }

    /// The answers of a proxy in front of the server don't contain the extensions.
    @Test func theExtensionsOfTheLastRunAreRememberedWhileTheServerIsDown() async throws {
        let mirror = try mirror { _ in }
        #expect(try await sync(mirror).outcome == .complete)
        #expect(try mirror.read { try $0.extensions } == ["status", "validators"])
        mirror.partner.change { state in
            for url in ["", Self.partnerURL] { state.overrides[url] = .text("{}", status: 502) }
        }
        let summary = try await sync(mirror, statuses: [nil, 404, 404], recovers: true)
        #expect(summary.outcome == .complete, "\(summary.failure ?? "")")
        #expect(clock.waits == [.seconds(10), .seconds(10), .seconds(10)])
    }

    @Test func aFailingServerWithUnknownExtensionsIsAskedForItsStatusOnce() async throws {
        let mirror = try mirror { state in
            for url in ["", Self.partnerURL] { state.overrides[url] = .text("{}", status: 502) }
        }
        #expect(try await sync(mirror, statuses: [404]).outcome == .failed)
        #expect(statuses(mirror.partner.takeRequests()) == 1 && clock.waits.isEmpty)
        #expect(try await sync(mirror, statuses: [nil]).outcome == .failed)
        #expect(statuses(mirror.partner.takeRequests()) == 1 && clock.waits.isEmpty)
        #expect(try await sync(mirror, statuses: [503], recovers: true).outcome == .complete)
        #expect(statuses(mirror.partner.takeRequests()) == 2 && clock.waits == [.seconds(10)])
    }

    @Test func theStatusIsNotRequestedFromAServerThatDoesNotOfferIt() async throws {
        let mirror = try mirror(["validators"]) { $0.overrides[Self.partnerURL] = .text("{}", status: 503) }
        #expect(try await sync(mirror).outcome == .failed)
        #expect(statuses(mirror.partner.takeRequests()) == 0)
    }

    @Test func aSyncWaitsForAServerThatIsDown() async throws {
        let mirror = try mirror { _ in }
        #expect(try await sync(mirror).outcome == .complete)
        mirror.partner.change { state in
            for url in ["", Self.partnerURL] { state.overrides[url] = .failure(.cannotConnect) }
        }
        #expect(try await sync(mirror, statuses: [nil, nil], recovers: true).outcome == .complete)
        #expect(clock.waits == [.seconds(10), .seconds(10)])
    }

    // MARK: - Lists

    /// The list fails with 500 first, then with 404, which is no server failure.
    @Test func aListThatIsNotFoundIsNotWaitedFor() async throws {
        let list = "/partner/p/artworks?ids=1&size=all&validators=1"
        let mirror = try mirror { state in
            state.once[list] = [.text("{}", status: 500), .text("{}", status: 500)]
            state.overrides[list] = .text("{}", status: 404)
        }
        let summary = try await sync(mirror)
        #expect(summary.outcome == .partial)
        #expect(summary.problems.first?.message.contains("404") == true, "\(summary.problems)")
        #expect(statuses(mirror.partner.takeRequests()) == 1)
        #expect(try mirror.ids(.artist) == ["x"])
    }

    /// After the longest wait, the run continues as if waiting were not allowed.
    @Test func aListThatFailsForLongerThanMaxWaitDoesNotStopOtherLists() async throws {
        let list = "/partner/p/albums?ids=1&size=all&validators=1"
        let mirror = try mirror { _ in }
        #expect(try await sync(mirror).outcome == .complete)
        mirror.partner.change { state in
            state.overrides[list] = .text("{}", status: 500)
            state.remove(.artist, "x")
            state.artist("y")
        }
        let summary = try await sync(mirror, statuses: Array(repeating: 500, count: 50)) {
            $0.maxWait = .seconds(100)
        }
        #expect(summary.outcome == .partial, "\(summary.failure ?? "")")
        #expect(clock.waits == [.seconds(60), .seconds(40)])
        #expect(summary.problems.map(\.kind) == ["album"])
        #expect(summary.problems.first?.message.contains("--max-wait") == true, "\(summary.problems)")
        #expect(try mirror.ids(.artist) == ["y"])
    }

    @Test func aListWithStatus410DoesNotStopOtherLists() async throws {
        let mirror = try mirror { state in
            state.overrides["/partner/p/artworks?ids=1&size=all&validators=1"] = .text("{}", status: 410)
        }
        #expect(try await sync(mirror).outcome == .partial)
        #expect(try mirror.ids(.artist) == ["x"])
        #expect(statuses(mirror.partner.takeRequests()) == 0)
    }

    // MARK: - Objects

    /// A mirror of ten artworks that can be fetched, and `count` that fail.
    private func failing(_ count: Int, _ answer: ScriptedAnswer = .text("{}", status: 500)) throws
        -> TestMirror
    {
        try mirror { state in
            for number in 0..<10 { state.artwork("c\(number)") }
            for number in 0..<count {
                state.artwork("f\(number)")
                state.overrides["/artwork/f\(number)"] = answer
            }
        }
    }

    @Test(arguments: [ScriptedAnswer.text("{}", status: 503), .failure(.connectionLost)])
    func aSyncWaitsWhenManyObjectsFailInARow(answer: ScriptedAnswer) async throws {
        let mirror = try failing(30, answer)
        let summary = try await sync(mirror, statuses: [503, nil], recovers: true)
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(clock.waits == [.seconds(10), .seconds(10)])
        #expect(try mirror.ids(.artwork).count == 41)
        let requests = mirror.partner.takeRequests()
        #expect(requests.count { $0 == "GET /artwork/c9" } == 1, "Stored objects are not requested again.")
        #expect(requests.count { $0 == "GET /artwork/f0" } == 2)
        #expect(
            requests.count { $0 == "GET /artwork/f29" } == 1, "The walk ended after the twentieth failure.")
    }

    @Test func objectsThatKeepFailingAreReportedAfterThreeRestarts() async throws {
        let mirror = try failing(43)
        let summary = try await sync(mirror)
        #expect(summary.outcome == .partial && summary.objects["artwork"]?.failed == 43)
        let requests = mirror.partner.takeRequests()
        #expect(statuses(requests) == 3)
        // One request in each walk, and two in the last.
        #expect(requests.count { $0 == "GET /artwork/f0" } == 5)
        #expect(requests.count { $0 == "GET /artwork/f42" } == 2)
        #expect(requests.count { $0 == "GET /artwork/c9" } == 1)
        #expect(try mirror.ids(.artwork).count == 11 && mirror.ids(.artist) == ["x"])
        mirror.partner.change { $0.overrides = [:] }
        #expect(try await sync(mirror).outcome == .complete)
        #expect(try mirror.ids(.artwork).count == 54)
    }

    /// The retries at the end of the walk are not added to the 19 failures in a row.
    @Test func fewFailedObjectsAreReportedWithoutAWait() async throws {
        let mirror = try failing(19)
        let summary = try await sync(mirror)
        #expect(summary.outcome == .partial && summary.objects["artwork"]?.failed == 19)
        #expect(statuses(mirror.partner.takeRequests()) == 0)
    }

    @Test func failFastReportsFailedObjectsWithoutAWait() async throws {
        let mirror = try failing(43)
        let summary = try await sync(mirror) { $0.failFast = true }
        #expect(summary.outcome == .partial && summary.objects["artwork"]?.failed == 43)
        #expect(statuses(mirror.partner.takeRequests()) == 0)
    }

    /// The walk was ended early, so no list is complete.
    @Test func aServerThatFailsDuringARunFailsItAndNothingIsRemoved() async throws {
        let mirror = try mirror { _ in }
        #expect(try await sync(mirror).outcome == .complete)
        mirror.partner.change { state in
            state.remove(.artist, "x")
            state.artist("y")
            for number in 0..<30 {
                state.artwork("f\(number)")
                state.overrides["/artwork/f\(number)"] = .failure(.connectionLost)
            }
        }
        let summary = try await sync(mirror, statuses: Array(repeating: nil, count: 50)) {
            $0.maxWait = .seconds(20)
        }
        #expect(summary.outcome == .failed)
        #expect(summary.failure?.contains("and other objects") == true, "\(summary.failure ?? "")")
        #expect(try mirror.ids(.artist) == ["x", "y"])
    }

    @Test func aDryRunDoesNotWaitForAFailingServer() async throws {
        let mirror = try failing(43)
        mirror.partner.change {
            $0.overrides["/partner/p/albums?ids=1&size=all&validators=1"] = .text("{}", status: 500)
        }
        _ = try await mirror.plan()
        #expect(statuses(mirror.partner.takeRequests()) == 0)
    }

    @Test func objectsStoredBeforeARestartAreCountedOnce() async throws {
        let mirror = try mirror { state in
            state.artwork("b", image: "i")
            state.files["/artwork/b/image/i/larger.jpg"] =
                [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 64)
            state.lists["/partner/p/artist/x/documents"] = ["d"]
            state.objects["/partner/p/artist/x/document/d"] = #"{"id":"d"}"#
            state.overrides["/partner/p/albums?ids=1&size=all&validators=1"] = .text("{}", status: 500)
        }
        let summary = try await sync(mirror)
        #expect(summary.outcome == .partial)
        let images = summary.objects["image"], documents = summary.objects["document"]
        #expect(images == SyncSummary.Count(listed: 1, created: 1), "\(summary.problems)")
        #expect(documents?.listed == 1 && documents?.created == 1)
    }
}
