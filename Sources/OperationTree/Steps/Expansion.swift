/// The items of one list, pulled one at a time, so that a list of any length needs no memory.
///
/// A list whose end was reached is complete unless `complete` says otherwise then. A pull that throws is a failure
/// of the list: what came before stays, and the list is requested once more at the end of the run; items whose
/// identity was pulled before are skipped then. `complete` returning false is a statement, not a failure: the list
/// is marked incomplete and not asked for again.
public struct Expansion<Item: Sendable>: Sendable {
    enum Source: Sendable {
        case iterator(SerialIterator<Item>)
        case pull(@Sendable () async throws -> Item?)
    }

    let source: Source
    /// How many items will come, where that is known up front.
    public let count: Int?
    private let complete: @Sendable () -> Bool

    private init(source: Source, count: Int?, complete: @escaping @Sendable () -> Bool) {
        self.source = source
        self.count = count
        self.complete = complete
    }

    /// The elements of a sequence, which is iterated lazily and only once.
    public init<Elements: Sequence>(
        _ elements: sending Elements, count: Int? = nil, complete: @escaping @Sendable () -> Bool = { true }
    ) where Elements.Element == Item {
        self.init(source: .iterator(SerialIterator(elements)), count: count, complete: complete)
    }

    /// The elements of a collection, whose count is announced.
    public init<Elements: Collection>(
        _ elements: sending Elements, complete: @escaping @Sendable () -> Bool = { true }
    ) where Elements.Element == Item {
        let count = elements.count
        self.init(source: .iterator(SerialIterator(elements)), count: count, complete: complete)
    }

    /// Whatever `next` returns until it returns nil. It is never called again after nil or a throw.
    ///
    /// - Parameter state: What `next` remembers, e.g. the page that comes next: pulls are serial, so it needs no lock.
    public static func unfolding<State>(
        _ state: sending State, count: Int? = nil, complete: @escaping @Sendable () -> Bool = { true },
        _ next: @escaping @Sendable (inout State) async throws -> Item?
    ) -> Expansion {
        let box = SerialState(state)
        return Expansion(
            source: .pull({ try await next(&box.state) }), count: count, complete: complete)
    }

    /// No items; a complete list.
    public static var empty: Expansion { Expansion(EmptyCollection()) }

    /// One item; for steps that don't ask for a list.
    public static func one(_ item: Item) -> Expansion { Expansion(CollectionOfOne(item)) }

    /// The next item, or nil at the end. Must not be called while another call of it runs.
    public func next() async throws -> Item? {
        switch source {
        case .iterator(let iterator): iterator.next()
        case .pull(let next): try await next()
        }
    }

    /// Whether the list is complete, once ``next()`` returned nil.
    public var isComplete: Bool { complete() }

    /// All remaining items at once; for tests of steps.
    public func collect() async throws -> [Item] {
        var items: [Item] = []
        while let item = try await next() { items.append(item) }
        return items
    }

    /// Whether a pull may throw.
    var canFail: Bool {
        if case .pull = source { true } else { false }
    }
}

/// An iterator that goes from worker to worker.
///
/// `@unchecked Sendable`: pulls of one expansion are serial, and each happens after the engine's lock was taken and
/// released since the one before.
final class SerialIterator<Item>: @unchecked Sendable {
    private let pull: () -> Item?

    init<Elements: Sequence>(_ elements: sending Elements) where Elements.Element == Item {
        var iterator = elements.makeIterator()
        pull = { iterator.next() }
    }

    func next() -> Item? { pull() }
}

/// State that goes from worker to worker; `@unchecked Sendable` for the reason given at ``SerialIterator``.
private final class SerialState<State>: @unchecked Sendable {
    var state: State

    init(_ state: sending State) { self.state = state }
}
