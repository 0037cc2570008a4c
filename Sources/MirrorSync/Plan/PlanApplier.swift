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

/// Takes in the writes of a plan: compares objects with what is stored, tells the recorder, and writes nothing.
struct PlanApplier: WriteReceiver {
    let store: CatalogueStore
    let plan: PlanRecorder

    func submit(_ write: Write) async throws {
        guard case .object(let record) = write else { return }
        if record.kind == .partner {
            plan.partnerStates(id: record.id, documents: Self.documents(record))
        }
        do {
            plan.found(record.kind, record.id, try store.effect(of: record))
        } catch let error as StoreError {
            throw SyncError(error)
        }
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
