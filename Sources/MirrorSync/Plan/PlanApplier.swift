import Catalogue
import MirrorStore

/// What steps hand their writes to.
package protocol WriteReceiver: Sendable {
    /// Takes in a write.
    ///
    /// - Throws: ``SyncError`` once the store could not be written.
    func submit(_ write: Write) async throws
    /// Commits everything that was submitted so far.
    func flush() async throws
}

extension Applier: WriteReceiver {}

/// Takes in the writes of a plan: compares objects with what is stored, tells the recorder, and writes nothing to the mirror.
///
/// What is known of lists under objects waits in the plan's own tables, as a sync's lists do until it ends: so the guard is
/// asked as in a sync.
struct PlanApplier: WriteReceiver {
    let store: CatalogueStore
    let plan: PlanRecorder
    let run: Int64

    func submit(_ write: Write) async throws {
        do {
            switch write {
            case .object(let record): try note(record)
            case .members(let list, let ids): try store.foresee(list, ids: ids, run: run)
            case .showImages(_, _, let images, let list):
                try store.foresee(list, ids: images.map(\.id), run: run)
            case .confirmed: _ = try store.apply([write], run: run)
            default: return
            }
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    private func note(_ record: ObjectRecord) throws {
        if record.kind == .partner {
            plan.partnerStates(id: record.id, documents: Self.documents(record))
        }
        plan.found(record.kind, record.id, try store.effect(of: record))
    }

    func flush() async throws {}

    /// What a partner's own JSON counts; `nil` if it doesn't.
    private static func documents(_ partner: ObjectRecord) -> Int? {
        let columns = zip(partner.kind.columns, partner.values).filter {
            ["partner_show_documents_count", "artist_documents_count"].contains($0.0.name)
        }
        let counts = columns.compactMap { _, value in
            if case .integer(let count) = value { Int(count) } else { nil }
        }
        return counts.isEmpty ? nil : counts.reduce(0, +)
    }
}
