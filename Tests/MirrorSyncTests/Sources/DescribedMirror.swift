import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// A mirror of a described catalogue, in a temporary folder. Its clock is virtual: waits take no time, and advance it.
struct DescribedMirror {
    let home: TemporaryHome
    let clock: VirtualClock
    let network: RecordingTransport
    /// The name of a built-in description, or the path of a file.
    let source: String

    /// 2026-02-01T00:00:00Z, a day with an odd number since 1970.
    static let start = Date(timeIntervalSince1970: 1_769_904_000)

    init(_ source: String, home: TemporaryHome? = nil, clock: VirtualClock, _ transport: any Transport)
        throws
    {
        self.home = try home ?? TemporaryHome()
        (self.source, self.clock) = (source, clock)
        network = RecordingTransport(transport)
    }

    static func clock() -> VirtualClock { VirtualClock(.jumping, start: start) }

    var mirror: MirrorFolder { get throws { try home.mirror("museum") } }

    /// A sync with one worker, so that requests have an order.
    func sync(
        base: String? = nil, isNewOrigin: Bool = false, _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> SyncSummary {
        var options = SyncOptions()
        options.synchronous = true
        options.source.name = source
        change(&options)
        let clock = clock, network = network
        return try await Sync(
            partner: "museum", folder: mirror, base: base, isNewOrigin: isNewOrigin, options: options,
            now: { clock.now }
        ) { base, cache in
            try InterceptableSession(
                base: base, transport: network, cache: cache, interceptors: .standard(),
                configuration: SessionConfiguration(
                    clock: clock.sessionClock, random: { 0.5 },
                    // All hosts have a public address.
                    addressGuard: AddressGuard { _ in ["93.184.216.34"] }))
        }.run()
    }

    /// Advances the clock.
    func pass(days: Int = 0, hours: Int = 0) { clock.advance(by: .seconds(days * 86_400 + hours * 3_600)) }

    func read<T>(_ body: (CatalogueStore) throws -> T) throws -> T {
        let store = try mirror.store()
        defer { try? store.close() }
        return try body(store)
    }

    /// The ids of the stored objects of a kind, sorted.
    func ids(_ kind: Kind) throws -> [String] {
        try read { try $0.snapshot { try $0.ids(kind).sorted() } }
    }

    /// The logged changes of a run: `update artwork 7`, with the list that changed, if it was one.
    func log(_ run: Int64?) throws -> [String] {
        let run = try #require(run)
        return try read { store in
            var lines: [String] = []
            try store.history(ChangeFilter(run: run)) { change in
                let list = change.list.map { " \($0)" } ?? ""
                lines.append("\(change.action.rawValue) \(change.object.kind) \(change.object.id)\(list)")
            }
            return lines.sorted()
        }
    }

    /// The evidence of all logged deletions, by `artwork 7`.
    func deletions() throws -> [String: String] {
        try read { store in
            var deletions: [String: String] = [:]
            try store.history(ChangeFilter()) { change in
                guard change.action == .delete, change.list == nil else { return }
                deletions["\(change.object.kind) \(change.object.id)"] = change.evidence ?? ""
            }
            return deletions
        }
    }
}
