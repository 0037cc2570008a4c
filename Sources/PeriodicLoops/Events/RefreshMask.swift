/// Which kinds of things a cursor is too old for, so that the local copy of them must be fetched afresh.
///
/// What the bits stand for is the loop's business: it names those that it knows in ``EventsLoop/refreshableKinds``. A
/// mask with any other bit set means everything: who doesn't know what is stale keeps nothing for fresh.
public struct RefreshMask: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// 255: all kinds, and what belongs to none.
    public static let everything = RefreshMask(rawValue: 255)

    /// What is to be refreshed by one who knows the bits of `known`: those, or everything.
    public func resolved(knowing known: RefreshMask) -> RefreshMask {
        isSubset(of: known) ? self : .everything
    }
}
