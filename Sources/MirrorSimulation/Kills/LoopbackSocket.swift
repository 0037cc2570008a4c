import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// A minimal TCP socket for a proxy on this machine, the same on Linux and macOS.
///
/// `@unchecked Sendable`: only one thread reads and writes. ``shut()`` may be called from any thread: it is a single
/// system call with a descriptor that never changes.
final class LoopbackSocket: @unchecked Sendable {
    let descriptor: Int32
    private var buffer: [UInt8] = []
    private var start = 0

    struct Failure: Error, CustomStringConvertible {
        let errorNumber: Int32

        var description: String {
            "A connection over loopback failed: \(String(cString: strerror(errorNumber)))."
        }
    }

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit { close(descriptor) }

    private static func open() throws -> LoopbackSocket {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw Failure(errorNumber: errno) }
        // A program that is started in the meantime must not inherit the descriptor.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return LoopbackSocket(descriptor)
    }

    /// Listens on a free port of this machine.
    static func listening() throws -> (socket: LoopbackSocket, port: Int) {
        let socket = try open()
        var address = loopback(port: 0), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket.descriptor, address, length) == 0
                    && getsockname(socket.descriptor, address, &length) == 0
            }
        }
        guard isBound, listen(socket.descriptor, 512) == 0 else { throw Failure(errorNumber: errno) }
        return (socket, Int(UInt16(bigEndian: address.sin_port)))
    }

    static func connected(to port: Int) throws -> LoopbackSocket {
        let socket = try open()
        var address = loopback(port: port)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(socket.descriptor, address, length) == 0
            }
        }
        guard isConnected else { throw Failure(errorNumber: errno) }
        return socket
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return address
    }

    /// The next connection; `nil` after ``shut()``.
    func accepted() -> LoopbackSocket? {
        let descriptor = accept(descriptor, nil, nil)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return LoopbackSocket(descriptor)
    }

    /// Closes both directions. Calls that wait for the socket return.
    func shut() {
        #if canImport(Darwin)
            shutdown(descriptor, SHUT_RDWR)
        #else
            shutdown(descriptor, Int32(SHUT_RDWR))
        #endif
    }

    func write(_ bytes: ArraySlice<UInt8>) throws {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        try bytes.withUnsafeBytes { all in
            var rest = all[...]
            while !rest.isEmpty {
                let sent = send(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, flags)
                guard sent > 0 else { throw Failure(errorNumber: errno) }
                rest = rest.dropFirst(sent)
            }
        }
    }

    /// Reads the lines up to an empty one, which is included; `nil` if the peer closed the connection before the first
    /// byte.
    func readHead() throws -> [UInt8]? {
        var head: [UInt8] = []
        while true {
            guard let line = try readLine() else {
                guard head.isEmpty else { throw Failure(errorNumber: ECONNRESET) }
                return nil
            }
            head += line
            if line.count <= 2 { return head }
        }
    }

    /// Reads one line with its line break; `nil` at the end.
    func readLine() throws -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                defer { start = end + 1 }
                return buffer[start...end]
            }
            searched = buffer.count - start
            guard try fill() else { return nil }
        }
    }

    /// Reads exactly `count` bytes, and passes them on in pieces.
    func read(_ count: Int, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        var left = count
        while left > 0 {
            if start == buffer.count, try !fill() { throw Failure(errorNumber: ECONNRESET) }
            let piece = buffer[start..<min(buffer.count, start + left)]
            start += piece.count
            left -= piece.count
            try body(piece)
        }
    }

    /// Reads more bytes into the buffer, whose unread part is moved to the front.
    private func fill() throws -> Bool {
        buffer.removeFirst(start)
        start = 0
        // Not into the array directly: filling it with zeros first would take most of a debug build's time.
        let count = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { piece in
            let count = recv(descriptor, piece.baseAddress, piece.count, 0)
            if count > 0 { buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[..<count])) }
            return count
        }
        guard count >= 0 else { throw Failure(errorNumber: errno) }
        return count > 0
    }
}
