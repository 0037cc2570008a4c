/// The commits to a mirror after a position, by any connection or program.
///
/// ``CatalogueStore/changes(after:every:sleep:)`` creates it. The iterator checks the store at intervals, and keeps no changes
/// in memory between checks. Without an iterator there are no checks. Each iterator begins at the same position.
public struct ChangeSequence: AsyncSequence, Sendable {
    fileprivate let store: CatalogueStore
    fileprivate let position: ChangePosition
    fileprivate let generation: Int?
    fileprivate let interval: Duration
    fileprivate let limit: Int
    fileprivate let sleep: @Sendable (Duration) async throws -> Void

    /// Creates an iterator that begins at the sequence's position.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Waits for commits.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        private let sequence: ChangeSequence
        private var position: ChangePosition
        private var generation: Int?
        /// Whether the next check waits for the interval to pass.
        private var isWaiting = false
        private var hasEnded = false

        fileprivate init(_ sequence: ChangeSequence) {
            self.sequence = sequence
            (position, generation) = (sequence.position, sequence.generation)
        }

        /// Waits for commits after the last element, and returns them; `nil` if the task is cancelled or the store is closed.
        ///
        /// - Throws: ``StoreError``: `changed` if the store has to be opened again, because its file was replaced or
        ///   ``CatalogueStore/isCurrent`` is `false`; other codes as for every read. After an error the sequence has ended.
        public mutating func next() async throws -> CommittedChanges? {
            guard !hasEnded else { return nil }
            do {
                while !Task.isCancelled, !sequence.store.isClosed {
                    if isWaiting { try await sequence.sleep(sequence.interval) }
                    isWaiting = true
                    if let commit = try check() { return commit }
                }
            } catch is CancellationError {
                // Ends the sequence.
            } catch let error as StoreError where error.code == .closed {
                // Ends the sequence.
            } catch {
                hasEnded = true
                throw error
            }
            hasEnded = true
            return nil
        }

        private mutating func check() throws -> CommittedChanges? {
            let store = sequence.store
            guard !store.isClosed else { throw StoreError.closed(store.path) }
            guard store.isInPlace, store.isCurrent else { throw StoreError.overtaken(store.path) }
            let found = try store.commits(after: position, generation: generation, limit: sequence.limit)
            generation = found.generation
            guard let commit = found.commit else { return nil }
            position = commit.position
            // After an element with the maximum number of changes, the next ones are available at once.
            isWaiting = generation != nil
            return commit
        }
    }
}

extension CatalogueStore {
    /// The commits to this mirror after a position, by any connection or program, such as a sync or `mirror watch`.
    ///
    /// The sequence ends when the task is cancelled or the store is closed.
    ///
    /// ```swift
    /// for try await commit in try store.changes() {
    ///     if commit.isGap || commit.changes.contains(where: { $0.kind == .artwork }) { try reload() }
    /// }
    /// ```
    ///
    /// All commits between two checks form one element. Checks never block writers.
    ///
    /// - Parameters:
    ///   - position: where to begin. Default: the end of the change log at the time of the call (``changePosition()``).
    ///   - interval: the time between two checks. Default: a second.
    ///   - sleep: waits for a duration; must throw only if its task is cancelled. Default: `Task.sleep(for:)`.
    /// - Throws: ``StoreError``, as ``changePosition()``.
    public func changes(
        after position: ChangePosition? = nil, every interval: Duration = .seconds(1),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws -> ChangeSequence {
        try changes(after: position, every: interval, limit: 500, sleep: sleep)
    }

    /// - Parameter limit: the maximum number of changes in an element.
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
