import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// Writes a body to an open file, from the file's present position on.
///
/// It neither opens, syncs nor closes the file, and keeps nothing in memory. The file must stay open until `send`
/// has returned.
public final class FileSink: BodySink {
    /// Writing failed, with the system's error number; `ENOSPC` for a full disk.
    public struct WriteError: Error, Sendable, Hashable, CustomStringConvertible {
        public let errorNumber: Int32

        public init(errorNumber: Int32) { self.errorNumber = errorNumber }

        public var description: String {
            "Cannot write the body to its file: \(String(cString: strerror(errorNumber)))."
        }
    }

    private let descriptor: Int32
    private let written = Atomic(0)

    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Bytes written so far.
    public var count: Int { written.load(ordering: .relaxed) }

    public func begin(_ response: TransportResponse) throws {}

    /// - Throws: ``WriteError``.
    public func receive(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let step = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard step >= 0 else {
                if errno == EINTR { continue }
                throw WriteError(errorNumber: errno)
            }
            rest = rest.dropFirst(step)
            written.wrappingAdd(step, ordering: .relaxed)
        }
    }
}
