import Catalogue
import CatalogueSources
import Foundation
import MirrorHTTP
import MirrorStore

/// The state of a mirror of a described source: what it is a copy of, today's requests, how far a first copy is, and what the
/// source's lists lack.
package struct SourceStatus: Sendable {
    /// The requests of today (UTC) to one host.
    package struct HostRequests: Sendable, Hashable {
        /// The host's name, with a port that isn't the usual one.
        package let host: String
        package let count: Int

        package init(host: String, count: Int) { (self.host, self.count) = (host, count) }
    }

    /// What the mirror remembers.
    package let source: RememberedSource
    /// The name of the museum; `nil` if the description can't be read.
    package var title: String?
    /// The licence of the records; `nil` if the description doesn't say.
    package var licence: String?
    /// The limits of the description; `nil` if it can't be read.
    package var pace: RequestPace?
    /// Why the description can't be read; `nil` if it can.
    package var problem: String?
    /// Only hosts that were sent requests today, and only if the description limits them. The base's host comes first.
    package var requests: [HostRequests] = []
    /// The kinds that a first copy hasn't stored completely; empty after it.
    package var copies: [CopyProgress] = []
    /// When the objects of a first copy will be stored, at the description's rate; `nil` without one or without a limit, and while
    /// a list is being read.
    package var end: Date?
    /// The number of listed objects that the server didn't have when they were last requested, by kind.
    package var absent: [Kind: Int] = [:]
    /// The number of stored objects that the last complete list lacked, by kind. Only kinds whose objects are removed after
    /// several such lists.
    package var missing: [Kind: Int] = [:]

    package init(_ source: RememberedSource) { self.source = source }

    /// Reads the state; `nil` if the mirror isn't one of a described source.
    ///
    /// - Parameter now: decides which day is today.
    /// - Throws: ``StoreError`` if the mirror can't be read.
    package init?(_ store: CatalogueStore, in folder: MirrorFolder, now: Date) throws {
        guard let source = try store.source else { return nil }
        self.init(source)
        var batches: [Kind: Int] = [:], kept: Set<Kind> = []
        do {
            let described = try DescribedCatalogue.load(
                SourceOptions(), remembered: source, base: nil, in: folder)
            if let description = described?.description {
                (title, licence, pace) = (description.title, description.licence, RequestPace(description))
                for kind in description.kinds {
                    batches[kind.kind] = kind.object.batch?.size
                    if kind.gone.rule != .absence { kept.insert(kind.kind) }
                }
            }
        } catch let error as SyncError {
            problem = error.message
        }
        let counts = try store.requests(onDay: RequestBudget.DayCount.day(of: now))
        let base = WebAddress(source.base)?.origin.text
        requests = counts.sorted { ($0.key != base ? 1 : 0, $0.key) < ($1.key != base ? 1 : 0, $1.key) }
            .map { HostRequests(host: WebAddress($0.key)?.origin.display ?? $0.key, count: $0.value) }
        copies = try store.copyProgress()
        absent = try store.absentCounts()
        missing = try store.missingCounts().filter { !kept.contains($0.key) }
        guard !copies.isEmpty, copies.allSatisfy(\.isListComplete) else { return }
        end = pace?.end(
            of: Self.requestsLeft(copies, batches: batches), sent: base.flatMap { counts[$0] } ?? 0, now: now)
    }

    /// The number of requests for the objects that a first copy lacks.
    ///
    /// - Parameter batches: the number of objects in one answer, by kind; 1 for other kinds.
    static func requestsLeft(_ copies: [CopyProgress], batches: [Kind: Int]) -> Int {
        copies.reduce(0) { sum, copy in
            let size = max(1, batches[copy.kind] ?? 1)
            return sum + (copy.left + size - 1) / size
        }
    }
}
