/// The items of one list, pulled one at a time, so that memory use doesn't depend on the list's length.
///
/// - A list that was read to its end is complete, unless the closure `complete` returns false.
/// - If a pull throws, the list has failed. The items pulled before are kept. The list is requested again at the end
///   of the run, and items that were pulled before are then skipped by their identity.
/// - If `complete` returns false, the list is incomplete, but it hasn't failed and isn't requested again.
public struct Expansion<Item: Sendable>: Sendable {
    let pull: @Sendable () async throws -> Item?
    /// Whether a pull may throw.
    let canFail: Bool
    /// The number of items, if it is known in advance.
    public let count: Int?
    private let complete: @Sendable () -> Bool
}

extension Expansion {
    /// Creates an expansion to the elements of a sequence, which is iterated lazily and only once.
    ///
    /// - Parameters:
    ///   - count: The number of items, if it is known in advance. Default: nil.
    ///   - complete: Called at the end: whether the list is complete. Default: true.
    public init<Elements: Sequence>(
        _ elements: sending Elements, count: Int? = nil, complete: @escaping @Sendable () -> Bool = { true }
    ) where Elements.Element == Item {
        var iterator = elements.makeIterator()
        let next: () -> Item? = { iterator.next() }
        let box = SerialState(next)
        self.init(pull: { box.state() }, canFail: false, count: count, complete: complete)
    }

    /// Creates an expansion to the elements of a collection, and announces their count.
    ///
    /// - Parameter complete: Called at the end: whether the list is complete. Default: true.
    public init<Elements: Collection>(
        _ elements: sending Elements, complete: @escaping @Sendable () -> Bool = { true }
    ) where Elements.Element == Item {
        let count = elements.count
        self.init(elements, count: count, complete: complete)
    }

    /// Creates an expansion to the items that a closure returns.
    ///
    /// - Parameters:
    ///   - state: The state of `next`, such as the number of the next page. Pulls are serial, so it needs no lock.
    ///   - count: The number of items, if it is known in advance. Default: nil.
    ///   - complete: Called at the end: whether the list is complete. Default: true.
    ///   - next: Returns the next item, or nil at the end. It isn't called again after it returned nil or threw.
    public static func unfolding<State>(
        _ state: sending State, count: Int? = nil, complete: @escaping @Sendable () -> Bool = { true },
        _ next: @escaping @Sendable (inout State) async throws -> Item?
    ) -> Expansion {
        let box = SerialState(state)
        return Expansion(
            pull: { try await next(&box.state) }, canFail: true, count: count, complete: complete)
    }

    /// A complete list without items.
    public static var empty: Expansion { Expansion(EmptyCollection()) }

    /// One item; for steps that don't request a list.
    public static func one(_ item: Item) -> Expansion { Expansion(CollectionOfOne(item)) }

    /// Returns the next item, or nil at the end. Calls must not overlap.
    public func next() async throws -> Item? { try await pull() }

    /// Whether the list is complete. Valid only after ``next()`` returned nil.
    public var isComplete: Bool { complete() }

    /// Returns all remaining items; for tests of steps.
    public func collect() async throws -> [Item] {
        var items: [Item] = []
        while let item = try await next() { items.append(item) }
        return items
    }
}

/// Mutable state that several workers access one after the other.
///
/// `@unchecked Sendable`: pulls of one expansion are serial. Between two pulls, the engine's lock is taken and released.
private final class SerialState<State>: @unchecked Sendable {
    var state: State

    init(_ state: sending State) { self.state = state }
}
