import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// The socket calls of the test server, for Linux and macOS.
enum Sockets {
    struct Failure: Error { let errorNumber: Int32 }

    static func listen() throws -> (descriptor: Int32, port: Int) {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound, system.listen(descriptor, 1024) == 0 else { throw Failure(errorNumber: errno) }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = system.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        var atOnce: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &atOnce, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return descriptor
    }

    static func send(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        return bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let sent = system.send(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, flags)
                guard sent > 0 else { return false }
                rest = rest.dropFirst(sent)
            }
            return true
        }
    }

    static func receive(_ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : Array(bytes[..<count])
    }

    static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    static func shut(_ descriptor: Int32) {
        #if canImport(Darwin)
            shutdown(descriptor, SHUT_RDWR)
        #else
            shutdown(descriptor, Int32(SHUT_RDWR))
        #endif
    }

    static func close(_ descriptor: Int32) { _ = system.close(descriptor) }

    static func onThread(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread(block: work)
        thread.stackSize = 512 << 10
        thread.start()
    }
}

/// The system's functions whose names are hidden by those of `Sockets`.
private enum system {
    static func listen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
        #if canImport(Darwin)
            Darwin.listen(descriptor, backlog)
        #else
            Glibc.listen(descriptor, backlog)
        #endif
    }
    static func accept(
        _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>?,
        _ length: UnsafeMutablePointer<socklen_t>?
    ) -> Int32 {
        #if canImport(Darwin)
            Darwin.accept(descriptor, address, length)
        #else
            Glibc.accept(descriptor, address, length)
        #endif
    }
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
        #if canImport(Darwin)
            Darwin.send(descriptor, bytes, count, flags)
        #else
            Glibc.send(descriptor, bytes, count, flags)
        #endif
    }
    static func close(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            Darwin.close(descriptor)
        #else
            Glibc.close(descriptor)
        #endif
    }
}
