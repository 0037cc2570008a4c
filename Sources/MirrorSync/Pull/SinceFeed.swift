import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Requests the changes of one kind since a date (`since` extension).
///
/// If anything about the answer is doubtful, the kind is listed in full instead, which is always correct and costs more.
struct SinceFeed: Sendable {
    let environment: SyncEnvironment
    let kind: Kind
    let since: String
    let route: Route

    enum Answer: Sendable {
        case changes(PulledChanges)
        /// The full list has to be requested.
        case lists(PullWay.Reason)
    }

    /// The largest number of changes in an answer. They are held in memory; a list is read as a stream.
    static let limit = 20_000
    private static let bodyLimit = 64 << 20

    /// Requests and reads the changes.
    ///
    /// - Throws: ``HTTPError`` if the list's request would fail as well; ``SyncError``; `CancellationError`.
    func fetch() async throws -> Answer {
        let fetched: Fetched
        do {
            fetched = try await environment.send(
                ListOperation(route, cache: .bypass, bodyLimit: Self.bodyLimit))
        } catch let error as HTTPError where error.reason == RetryRule.sinceTooOld {
            return .lists(.tooOld)
        } catch let error as HTTPError where error.code == .tooLarge || error.isNotSupported {
            return .lists(.refused)
        }
        guard case .body(let response) = fetched else { return .lists(.refused) }
        try environment.measured(fetched)
        let date = fetched.madeAt.map(Date.init(timeIntervalSince1970:))
        if let reason = date.flatMap({ SinceRule.reasonToList(since, serverTime: $0) }) {
            return .lists(reason)
        }
        guard var changes = read(response, date) else { return .lists(.refused) }
        changes.end = fetched.changesEnd
        return .changes(changes)
    }

    /// ``fetch()`` with its error as a value.
    func result() async -> Result<Answer, any Error> {
        do { return .success(try await fetch()) } catch { return .failure(error) }
    }

    private func read(_ response: Response, _ date: Date?) -> PulledChanges? {
        var changes = PulledChanges(kind: kind, since: since, date: date), position = 0
        var warnings: [FieldWarning] = []
        do {
            _ = try environment.source.readList(response.body) { element in
                guard changes.members.count + changes.gone.count < Self.limit else {
                    throw SyncError(.tooMany, "More than \(Self.limit) changes were reported.")
                }
                position += 1
                // The full list names this object, or reports the unusable element with its position.
                guard let entry = element.entry else {
                    throw SyncError(.badAnswer, "Element \(position) has no usable id.")
                }
                try changes.add(entry) { warnings.append($0) }
            }
        } catch {
            environment.logger.notice(
                "The changes of \(kind.plural) could not be read, so the full list is requested: \(error)")
            return nil
        }
        environment.report.fields(warnings, of: kind.name)
        return changes
    }
}
