import MirrorHTTP
import MirrorStore
import OperationTree
import PartnerAPI

/// How much there is to come, before any picture starts: what the server states, else what this mirror's own pictures
/// and documents are like. It is shown as ``Totals``.
package struct EstimateStep: Step {
    package typealias Output = Never
    package init() {}

    package func identity(of item: PartnerScope) -> String { "size" }

    package func expand(_ input: PartnerScope, in context: StepContext) async throws -> Expansion<
        PartnerScope
    > {
        input.environment.options.media ? .one(input) : .empty
    }

    package func perform(_ item: PartnerScope, in context: StepContext) async throws -> [Never] {
        let history = try item.environment.plan?.history ?? item.environment.store.sizeHistory(media: true)
        item.environment.report.note { $0.history = history }
        do {
            let fetched = try await item.environment.send(operation(item))
            guard case .body(let response) = fetched else { return [] }
            let total = try response.jsonObject()["total"]?.numberValue?.intValue.map(Int64.init)
            item.environment.report.note { $0.statedSize = total }
        } catch let error as HTTPError where error.isNotOffered {
            _ = item.environment.report.isNotOffered("size")
        }
        return []
    }

    package func operations(performing item: PartnerScope) -> [FetchOperation] { [operation(item)] }

    private func operation(_ item: PartnerScope) -> FetchOperation { FetchOperation(item.router.size()) }
}
