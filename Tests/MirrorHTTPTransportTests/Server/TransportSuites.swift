import Testing

/// All suites that open sockets, which run one after another.
///
/// Foundation on Linux still watches a socket's file descriptor after it is closed, and fails if another test's socket gets
/// the same descriptor.
@Suite(.serialized) struct TransportSuites {}
