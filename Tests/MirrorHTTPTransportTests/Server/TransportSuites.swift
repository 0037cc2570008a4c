import Testing

/// All suites that open sockets, one after another: Foundation on Linux watches a socket's number on after the
/// socket is closed, and goes astray if another test's socket gets that number meanwhile.
@Suite(.serialized) struct TransportSuites {}
