/// Which described catalogue is synced, and how: for mirrors of servers that don't have the Partner API.
///
/// The name, the base URL and the selection are remembered by the first sync that gets an answer.
public struct SourceOptions: Sendable, Hashable {
    /// A part of the catalogue, by the name of a selection in the description.
    public struct Selection: Sendable, Hashable {
        /// The name of the selection, such as `department`.
        public let name: String
        /// The value, which is percent-encoded in the request.
        public let value: String

        /// Creates a selection.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// What becomes of a stored picture that the source no longer offers, although its artwork still exists.
    ///
    /// Usually its licence was withdrawn, but the museum may also have removed or replaced it: the source doesn't say which.
    /// The rule is applied when the artwork is read again, and at the end of a run.
    public enum WithdrawnPictures: String, Sendable, Hashable, CaseIterable {
        /// The file and the picture stay in the mirror. The picture's JSON has `"withdrawn": true`, and its file is not requested
        /// again.
        case keep
        /// They are removed, as the server's other changes are, and so are those that earlier runs kept. Their files stay on disk
        /// for 30 days, so that they can be restored.
        case remove
    }

    /// The maximum rate of requests to each host.
    public struct Rate: Sendable, Hashable {
        /// The number of requests in each ``interval``.
        public let requests: Double
        /// The time to which ``requests`` refers.
        public let interval: Duration

        /// Creates a rate.
        public init(_ requests: Double, per interval: Duration) {
            (self.requests, self.interval) = (requests, interval)
        }
    }

    /// The name of a description, or the path of its file, which contains a slash; `nil`, the default, for the remembered one.
    public var name: String?
    /// The selected parts of the catalogue; `nil`, the default, for the remembered ones; empty for the whole catalogue.
    public var selection: [Selection]?
    /// Replaces the rate of the description; `nil`, the default, keeps it.
    public var rate: Rate?
    /// Default: ``WithdrawnPictures/keep``.
    public var withdrawn = WithdrawnPictures.keep

    /// The remembered source.
    public init() {}
}
