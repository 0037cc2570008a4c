/// A queue of limited width that nodes share: no more of their work runs at once than the lane is wide.
///
/// A run is told the widths, see ``RunConfiguration``.
public struct Lane: Hashable, Sendable, CustomStringConvertible {
    public let name: String

    public init(_ name: String) { self.name = name }

    /// Requests for objects and lists; 16 at once unless the run says otherwise.
    public static let requests = Lane("requests")
    /// Pictures and documents; 8 at once unless the run says otherwise.
    public static let media = Lane("media")

    public var description: String { name }
}
