import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Asks for what changed of one kind since a date (`since` extension).
///
/// On any doubt about the answer the kind is listed in full instead: that is always right, and costs a little more.
struct SinceFeed: Sendable {
    let environment: SyncEnvironment
    let kind: Kind
    let since: String
    let route: Route

    enum Answer: Sendable {
        case changes(PulledChanges)
        /// The whole list has to be looked at.
        case lists(PullWay.Reason)
    }

    /// Beyond this, changes are as many as a list has members, and lists are taken in without holding all of them.
    static let limit = 20_000
    private static let bodyLimit = 64 << 20

    /// - Throws: ``HTTPError`` where no request would fare better; ``SyncError``; `CancellationError`.
    func ask() async throws -> Answer {
        let fetched: Fetched
        do {
            fetched = try await environment.send(
                ListOperation(route, cache: .bypass, bodyLimit: Self.bodyLimit))
        } catch let error as HTTPError where error.reason == RetryWorthiness.sinceTooOld {
            return .lists(.tooOld)
        } catch let error as HTTPError where error.code == .tooLarge || error.isNotOffered {
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

    func result() async -> Result<Answer, any Error> {
        do { return .success(try await ask()) } catch { return .failure(error) }
    }

    private func read(_ response: Response, _ date: Date?) -> PulledChanges? {
        var changes = PulledChanges(kind: kind, since: since, date: date), position = 0
        var warnings: [FieldWarning] = []
        do {
            _ = try environment.source.readList(response.body) { element in
                guard changes.members.count + changes.gone.count < Self.limit else {
                    throw SyncError(.tooMany, "More changed than is worth asking for.")
                }
                position += 1
                // What it stands for the whole list names, or reports with its own position.
                guard let entry = element.entry else {
                    throw SyncError(.badAnswer, "Element \(position) has no usable id.")
                }
                try changes.take(entry) { warnings.append($0) }
            }
        } catch {
            environment.logger.notice(
                "What changed of \(kind.plural) could not be read, so all are listed: \(error)")
            return nil
        }
        environment.report.fields(warnings, of: kind.name)
        return changes
    }
}
