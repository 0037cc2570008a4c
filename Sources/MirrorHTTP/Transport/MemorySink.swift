import Synchronization

/// Collects a body in memory.
public final class MemorySink: BodySink {
    /// Room made at once for an announced length; a larger body grows as it comes, so that a lie costs little.
    private static let largestReserve = 4 << 20
    private let collected = Mutex<[UInt8]>([])

    public init() {}

    /// What has come so far; all of it once `send` has returned.
    public var bytes: [UInt8] { collected.withLock { $0 } }

    public func begin(_ response: TransportResponse) throws {
        let announced = response.headers["Content-Length"].flatMap { Int($0) } ?? 0
        collected.withLock { bytes in
            bytes.removeAll()
            bytes.reserveCapacity(min(max(0, announced), Self.largestReserve))
        }
    }

    public func receive(_ bytes: UnsafeRawBufferPointer) throws {
        collected.withLock { $0.append(contentsOf: bytes) }
    }
}

extension Transport {
    /// Sends a request and returns the head and the whole body, which is held in memory up to the body limit.
    public func send(_ request: TransportRequest) async throws -> (TransportResponse, [UInt8]) {
        let sink = MemorySink()
        let response = try await send(request, into: sink)
        return (response, sink.bytes)
    }
}
