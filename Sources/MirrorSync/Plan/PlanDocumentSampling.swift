import Catalogue
import MirrorHTTP
import MirrorStore

/// Asks for some documents that are here, on the condition that they changed, where no list tells whether they did.
///
/// Up to 50, chosen at random: where there are no more, a plan knows of all of them.
struct PlanDocumentSampling: Sendable {
    let scope: PartnerScope
    let plan: PlanRecorder

    private var environment: SyncEnvironment { scope.environment }

    /// - Throws: ``SyncError``, ``StoreError``, `CancellationError`. What the server doesn't answer stays undecided.
    func run() async throws {
        let looks = try await environment.looks(at: plan.beginSamplingDocuments()) { document in
            (document, try await effect(on: document))
        }
        for (document, effect) in looks.sorted(by: { $0.0.name < $1.0.name }) {
            plan.found(.document, document.name, effect)
        }
    }

    private func effect(on document: DoubtedDocument) async throws -> WriteEffect {
        let step = DocumentsStep()
        let scope = ObjectScope(partner: scope, owner: document.owner, lists: nil)
        let item = DocumentsStep.Item(
            scope: scope, id: document.id, stored: document.stored, isVouched: false)
        let fetched = try await environment.send(step.operation(item))
        guard case .body(let response) = fetched else { return .unchanged }
        let body = try Document.read(response, id: document.id, report: environment.report)
        let record = DocumentRecord(body, owner: document.owner, partner: self.scope.id, etag: response.etag)
        return record.json == document.stored.json ? .unchanged : .updated
    }
}

/// A document that is here, and may be another by now.
struct DoubtedDocument: Sendable {
    let owner: Owner
    let stored: StoredDocument

    var id: String { stored.id }
    /// No other has it.
    var name: String { "\(owner.id)/\(id)" }
}
