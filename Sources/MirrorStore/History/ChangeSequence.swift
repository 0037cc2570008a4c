/// The commits to a mirror after a position, by any connection or program: a sync in this app, or `mirror watch` beside it.
///
/// Made by ``CatalogueStore/changes(after:every:sleep:)``. The store is checked at intervals, and no changes are kept
/// in memory between two checks. A sequence that nobody iterates over costs nothing. Each iteration begins at the same position.
public struct ChangeSequence: AsyncSequence, Sendable {
    fileprivate let store: CatalogueStore
    fileprivate let position: ChangePosition
    fileprivate let generation: Int?
    fileprivate let interval: Duration
    fileprivate let limit: Int
    fileprivate let sleep: @Sendable (Duration) async throws -> Void

    /// An iterator; each begins where the sequence was made.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Waits for commits.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        private let sequence: ChangeSequence
        private var position: ChangePosition
        private var generation: Int?
        /// Whether the next look waits for the interval to pass.
        private var isWaiting = false
        private var hasEnded = false

        fileprivate init(_ sequence: ChangeSequence) {
            self.sequence = sequence
            (position, generation) = (sequence.position, sequence.generation)
        }

        /// What was committed since the last element; waits for it. `nil` once the task is cancelled, or the store closed.
        ///
        /// - Throws: ``StoreError``: `changed` if the store has to be opened again, since its file was replaced or
        ///   ``CatalogueStore/isCurrent`` is `false`; others as for every read. Then the sequence has ended.
        public mutating func next() async throws -> CommittedChanges? {
            guard !hasEnded else { return nil }
            do {
                while !Task.isCancelled, !sequence.store.isClosed {
                    if isWaiting { try await sequence.sleep(sequence.interval) }
                    isWaiting = true
                    if let commit = try look() { return commit }
                }
            } catch is CancellationError {
                // It ends as the loop would have.
            } catch let error as StoreError where error.code == .closed {
                // So does this.
            } catch {
                hasEnded = true
                throw error
            }
            hasEnded = true
            return nil
        }

        private mutating func look() throws -> CommittedChanges? {
            let store = sequence.store
            guard !store.isClosed else { throw StoreError.closed(store.path) }
            guard store.isInPlace, store.isCurrent else { throw StoreError.overtaken(store.path) }
            let found = try store.commits(after: position, generation: generation, limit: sequence.limit)
            generation = found.generation
            guard let commit = found.commit else { return nil }
            position = commit.position
            // What is behind a full element is there already.
            isWaiting = generation != nil
            return commit
        }
    }
}

extension CatalogueStore {
    /// The commits to this mirror after a position, by any connection or program, until the task is cancelled or the store is closed.
    ///
    /// ```swift
    /// for try await commit in try store.changes() {
    ///     if commit.isGap || commit.changes.contains(where: { $0.kind == .artwork }) { try reload() }
    /// }
    /// ```
    ///
    /// Commits between two checks are one element. Writers are never blocked.
    ///
    /// - Parameters:
    ///   - position: where to begin. Default: the end of the change log at this instant (``changePosition()``).
    ///   - interval: how long to wait from one look to the next. Default: a second.
    ///   - sleep: how to wait; throws only when its task is cancelled. Default: by the system's clock.
    /// - Throws: ``StoreError``, as ``changePosition()``.
    public func changes(
        after position: ChangePosition? = nil, every interval: Duration = .seconds(1),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws -> ChangeSequence {
        try changes(after: position, every: interval, limit: 500, sleep: sleep)
    }

    /// - Parameter limit: how many changes an element has at the most.
    func changes(
        after position: ChangePosition?, every interval: Duration, limit: Int,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) throws -> ChangeSequence {
        let (end, generation) = try commitState()
        return ChangeSequence(
            store: self, position: position ?? end, generation: position == nil ? generation : nil,
            interval: interval, limit: limit, sleep: sleep)
    }
}
