import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting

@testable import MirrorSync

extension TestMirror {
    /// The time of ``sync(base:isNewOrigin:_:)``.
    static let time = Date(timeIntervalSince1970: 1_795_000_000)

    /// Calls `body` with the environment of another run, some seconds after the sync.
    func after<T>(
        _ seconds: TimeInterval = 0, _ change: (inout SyncOptions) -> Void = { _ in },
        _ body: (SyncEnvironment) async throws -> T
    ) async throws -> T {
        var options = SyncOptions()
        options.synchronous = true
        change(&options)
        let now: @Sendable () -> Date = { Self.time + seconds }
        let store = try CatalogueStore.open(at: mirror.database, now: now)
        defer { try? store.close() }
        let report = SyncReport(), run = try store.beginRun("sync")
        let base = "http://origin.test/api/v1"
        let environment = SyncEnvironment(
            partner: "p", store: store, files: try mirror.files,
            sender: try InterceptableSession(base: base, transport: partner.transport(base: base)),
            applier: Applier(store: store, run: run, report: report, now: now), report: report,
            options: options, run: run, now: now)
        return try await body(environment)
    }

    /// Fetches ghosts.
    ///
    /// - Returns: the requests, and the result.
    func fetchGhosts(_ seconds: TimeInterval = 0) async throws -> (
        requests: [String], report: GhostFetch.Report
    ) {
        _ = partner.takeRequests()
        let report = try await after(seconds) { try await GhostFetch(environment: $0).run() }
        return (partner.takeRequests(), report)
    }

    /// Runs a sync, then fetches its ghosts.
    ///
    /// - Returns: all requests, and the problems.
    @discardableResult
    func syncWithGhosts() async throws -> (requests: [String], problems: [Problem]) {
        _ = partner.takeRequests()
        let problems = try await sync().problems
        let requests = partner.takeRequests()
        let ghosts = try await fetchGhosts()
        return (requests + ghosts.requests, problems + ghosts.report.problems.problems)
    }

    /// The ids of linked objects.
    func linked(_ kind: Kind) throws -> [String] {
        let all = Set(try ids(kind))
        let own = try read { Set(try $0.snapshot { try $0.ids(kind, withLinked: false) }) }
        return all.subtracting(own).sorted()
    }
}
