import MirrorHTTP
import MirrorStore
import PartnerAPI

extension SnapshotLoad {
    /// What a snapshot says of itself before it begins.
    struct Prospect: Sendable, Hashable {
        /// URLs.
        let count: Int
        /// About how many bytes they are.
        let bytes: Int
        /// Requests for lists that it spares, where nothing else needs them.
        let lists: Int
    }

    /// What a sync will load as a snapshot: its first line is asked for, the rest is not read.
    ///
    /// - Returns: `nil` if it will not be one, or the server says nothing of it.
    static func prospect(_ environment: SyncEnvironment) async throws -> Prospect? {
        guard let stored = try partner(environment),
            try isDue(environment, environment.report.current.extensions)
        else { return nil }
        let inbox = SnapshotInbox()
        let transfer = begin(Router(partner: stored).snapshot(), into: inbox, environment.session)
        defer { transfer.cancel() }
        return try await withTaskCancellationHandler {
            do {
                return try await prospect(in: inbox)
            } catch let error as CancellationError {
                throw error
            } catch {
                // Then the sync looks at the lists, as planned.
                environment.logger.debug("The snapshot says nothing of itself: \(error)")
                return nil
            }
        } onCancel: {
            transfer.cancel()
        }
    }

    /// What the first line says, if it says anything.
    private static func prospect(in inbox: SnapshotInbox) async throws -> Prospect? {
        var lines = SnapshotLines(), prospect: Prospect?, isFirst = true
        while isFirst, let bytes = try await inbox.next() {
            try lines.feed(bytes) { cut in
                guard isFirst else { return }
                isFirst = false
                if case .whole(let line) = cut, case .head(_, let count, let size) = try SnapshotLine(line) {
                    prospect = Prospect(count: count, bytes: size ?? 0, lists: ObjectKind.listed.count)
                }
            }
        }
        return prospect
    }

    private static func partner(_ environment: SyncEnvironment) throws -> String? {
        try environment.store.storedSingle(.partner)?.id ?? environment.plan?.current.partner
    }
}
