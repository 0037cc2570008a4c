import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// How much there is to come, before any picture starts: what the server states, else what this mirror's own pictures
/// and documents are like. It is shown as ``Totals``.
package struct EstimateStep: Step {
    package typealias Output = Never
    package init() {}

    package func identity(of item: PartnerScope) -> String { "size" }

    package func expand(_ input: PartnerScope, in context: StepContext) async throws -> Expansion<
        PartnerScope
    > {
        // Of what changed since the last time, the mirror's own history tells enough.
        input.environment.options.media && !input.isPulled ? .one(input) : .empty
    }

    package func perform(_ item: PartnerScope, in context: StepContext) async throws -> [Never] {
        let history = try item.environment.plan?.history ?? item.environment.store.sizeHistory(media: true)
        item.environment.report.note { $0.history = history }
        do {
            let fetched = try await item.environment.send(operation(item))
            guard case .body(let response) = fetched else { return [] }
            let total = try response.jsonObject()["total"]?.numberValue?.intValue.map(Int64.init)
            item.environment.report.note { $0.statedSize = total }
            if let total { try checkSpace(total, item.environment) }
        } catch let error as HTTPError where error.isNotOffered {
            _ = item.environment.report.isNotOffered("size")
        }
        return []
    }

    /// A disk that can't take in what is to come is found before the first picture is asked for.
    ///
    /// What the server states is of the formats that it would give; of others nobody knows how much there is.
    private func checkSpace(_ stated: Int64, _ environment: SyncEnvironment) throws {
        // A plan says so, and goes on.
        guard environment.options.formats == nil, environment.plan == nil else { return }
        do {
            let held = try environment.store.mediaSize()
            try environment.freeSpace.check(stated - held, at: environment.files.folder)
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    package func operations(performing item: PartnerScope) -> [FetchOperation] { [operation(item)] }

    private func operation(_ item: PartnerScope) -> FetchOperation {
        FetchOperation(item.router.size(), isReload: item.environment.options.full)
    }
}
