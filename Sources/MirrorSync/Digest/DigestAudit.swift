import Catalogue
import MirrorHTTP
import MirrorStore

/// Asks the server's digest whether its whole lists have to be looked at again.
///
/// A digest deletes nothing: where something differs that the server's own word on what changed doesn't explain, the lists
/// of that kind are looked at, and so they are on any doubt.
struct DigestAudit {
    let environment: SyncEnvironment

    enum Verdict: Sendable, Hashable {
        /// The mirror holds what the server holds.
        case equal
        /// They differ in these objects, or in what is under them.
        case differs([Kind: Set<ExactText>])
        case doubt
    }

    /// Beyond so many requests, five lists tell it sooner.
    static let limit = 128

    func ask() async throws -> Verdict {
        let outcome: DigestComparison.Outcome
        do {
            outcome = try await DigestComparison(environment: environment, limit: Self.limit).run()
        } catch is HTTPError {
            return .doubt
        } catch let error as SyncError where error.code != .storage {
            environment.logger.debug("The digest could not be taken: \(error)")
            return .doubt
        }
        guard case .compared(let result) = outcome, !result.hasMoved else { return .doubt }
        let pruned = try environment.store.prunedETags()
        return Self.verdict(
            on: DigestDifference.all(result.differences, router: environment.router).filter {
                !$0.isPruned(pruned)
            })
    }

    static func verdict(on differences: [DigestDifference]) -> Verdict {
        var objects: [Kind: Set<ExactText>] = [:]
        for difference in differences {
            switch difference.owner?.kind {
            // Both are asked for in every sync.
            case .partner?, .user?: continue
            case let kind?: objects[kind, default: []].insert(ExactText(difference.owner?.id ?? ""))
            case nil: return .doubt
            }
        }
        return objects.isEmpty ? .equal : .differs(objects)
    }

    /// Whether what differs is just what the server says changed.
    static func explains(_ changes: PulledChanges, _ suspects: Set<ExactText>) -> Bool {
        suspects.subtracting(changes.members.map { ExactText($0.id) })
            .isSubset(of: changes.gone.map(ExactText.init))
    }
}
