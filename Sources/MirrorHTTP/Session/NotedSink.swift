import Synchronization

/// Hands on what comes, and remembers that something came.
final class NotedSink: PausableSink {
    private let sink: any BodySink
    private let begun = Atomic(false)

    init(_ sink: any BodySink) { self.sink = sink }

    var hasBegun: Bool { begun.load(ordering: .relaxed) }

    func begin(_ response: TransportResponse) throws { try sink.begin(response) }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        begun.store(true, ordering: .relaxed)
        try sink.receive(bytes)
    }

    func canReceive(orCall resume: @escaping @Sendable () -> Void) -> Bool {
        sink.pausing?.canReceive(orCall: resume) ?? true
    }
}
