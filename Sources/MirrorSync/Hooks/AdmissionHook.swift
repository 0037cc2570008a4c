/// Refuses a run that must not begin. It stands before the log: a refused command says nothing of the mirror's health.
struct AdmissionHook: SyncHook {
    let name = "admission"

    func before(_ context: HookContext) async throws { try context.admit(context.store) }
}
