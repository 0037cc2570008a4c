import MirrorHTTP
import Testing

extension AddressPolicy {
    /// The address policy for tests with Swift Testing: only this machine can be reached.
    ///
    /// A request to another machine is refused before its name is resolved. It is also recorded as an issue of the
    /// running test, which then fails even if the code under test handles the error. With another test framework, pass
    /// ``loopback(refused:)`` a closure that fails the test.
    public static let testing = loopback {
        Issue.record("A test requested \($0), which is not on this machine.")
    }
}
