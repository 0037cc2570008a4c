import Catalogue
import MirrorHTTP
import MirrorStore

extension SnapshotLoad {
    /// What a snapshot says of itself before it begins.
    struct Prospect: Sendable, Hashable {
        /// URLs.
        let count: Int
        /// Bytes that will be received; `nil` if the server doesn't say how many there are.
        let bytes: Estimate?
        /// Requests for lists that it spares, where nothing else needs them.
        let lists: Int
    }

    /// What will be received of that number of bytes: it is right within a tenth, and they come compressed if requested so.
    static func received(of bytes: Int, isCompressed: Bool) -> Estimate {
        let bytes = Double(bytes), doubt = bytes * 0.1
        guard isCompressed else { return Estimate(bytes, margin: doubt) }
        let ratio = PlanDefaults.compressed
        return Estimate(bytes * ratio.value, margin: doubt * ratio.value)
            + Estimate(0, margin: bytes * ratio.margin)
    }

    /// What a sync will load as a snapshot: its first line is asked for, the rest is not read. Of one that broke off, it
    /// is what is still to come.
    ///
    /// - Returns: `nil` if it will not be one, or the server says nothing of it.
    static func prospect(_ environment: SyncEnvironment) async throws -> Prospect? {
        guard try isDue(environment, environment.extensions) else { return nil }
        let router = environment.router
        if let position = try environment.store.loadPosition(), !position.url.isEmpty,
            let rest = try await prospect(
                router.snapshot(after: position.url, event: position.event), environment)
        {
            return rest
        }
        return try await prospect(router.snapshot(), environment)
    }

    private static func prospect(_ route: Route, _ environment: SyncEnvironment) async throws -> Prospect? {
        let inbox = SnapshotInbox(), session = environment.session
        let transfer = begin(route, into: inbox, session)
        defer { transfer.cancel() }
        return try await withTaskCancellationHandler {
            do {
                return try await prospect(in: inbox, isCompressed: asksForCompression(session))
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
    private static func prospect(in inbox: SnapshotInbox, isCompressed: Bool) async throws -> Prospect? {
        var lines = SnapshotLines(), prospect: Prospect?, isFirst = true
        while isFirst, let bytes = try await inbox.next() {
            try lines.feed(bytes) { cut in
                guard isFirst else { return }
                isFirst = false
                if case .whole(let line) = cut, case .head(_, let count, let size) = try SnapshotLine(line) {
                    prospect = Prospect(
                        count: count, bytes: size.map { received(of: $0, isCompressed: isCompressed) },
                        lists: Kinds.standard.listed.count)
                }
            }
        }
        return prospect
    }
}
