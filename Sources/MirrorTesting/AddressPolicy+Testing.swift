import MirrorHTTP
import Testing

extension AddressPolicy {
    /// For the transports of tests: no test reaches another machine.
    ///
    /// A request to anything but this machine is refused before a name is resolved, and recorded as an issue of the test that
    /// runs: it fails even if the code under test gets over the error. For tests with Swift Testing; others give
    /// ``loopback(refused:)`` what makes them fail.
    public static let testing = loopback {
        Issue.record("A test requested \($0), which is not on this machine.")
    }
}
