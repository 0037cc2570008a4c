/// The items of one list, pulled one at a time, so that a list of any length needs no memory.
///
/// A list whose end was reached is complete unless `complete` says otherwise then. A pull that throws is a failure
/// of the list: what came before stays, and the list is requested once more at the end of the run; items whose
/// identity was pulled before are skipped then. `complete` returning false is a statement, not a failure: the list
/// is marked incomplete and not asked for again.
public struct Expansion<Item: Sendable>: Sendable {
    let pull: @Sendable () async throws -> Item?
    /// Whether a pull may throw.
    let canFail: Bool
    /// How many items will come, where that is known up front.
    public let count: Int?
    private let complete: @Sendable () -> Bool
}

extension Expansion {
    /// The elements of a sequence, which is iterated lazily and only once.
    public init<Elements: Sequence>(
        _ elements: sending Elements, count: Int? = nil, complete: @escaping @Sendable () -> Bool = { true }
    ) where Elements.Element == Item {
        var iterator = elements.makeIterator()
        let next: () -> Item? = { iterator.next() }
        let box = SerialState(next)
        self.init(pull: { box.state() }, canFail: false, count: count, complete: complete)
    }

    /// The elements of a collection, whose count is announced.
    public init<Elements: Collection>(
        _ elements: sending Elements, complete: @escaping @Sendable () -> Bool = { true }
    ) where Elements.Element == Item {
        let count = elements.count
        self.init(elements, count: count, complete: complete)
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
            pull: { try await next(&box.state) }, canFail: true, count: count, complete: complete)
    }

    /// No items; a complete list.
    public static var empty: Expansion { Expansion(EmptyCollection()) }

    /// One item; for steps that don't ask for a list.
    public static func one(_ item: Item) -> Expansion { Expansion(CollectionOfOne(item)) }

    /// The next item, or nil at the end. Must not be called while another call of it runs.
    public func next() async throws -> Item? { try await pull() }

    /// Whether the list is complete, once ``next()`` returned nil.
    public var isComplete: Bool { complete() }

    /// All remaining items at once; for tests of steps.
    public func collect() async throws -> [Item] {
        var items: [Item] = []
        while let item = try await next() { items.append(item) }
        return items
    }
}

/// State that goes from worker to worker.
///
/// `@unchecked Sendable`: pulls of one expansion are serial, and each happens after the engine's lock was taken and
/// released since the one before.
private final class SerialState<State>: @unchecked Sendable {
    var state: State

    init(_ state: sending State) { self.state = state }
}
