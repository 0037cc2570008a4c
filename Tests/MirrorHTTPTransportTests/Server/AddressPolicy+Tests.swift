import MirrorHTTP
import Testing

extension AddressPolicy {
    /// What every transport of a test has: no test reaches another machine.
    static let tests = loopback { Issue.record("A test requested \($0), which is not on this machine.") }
}
