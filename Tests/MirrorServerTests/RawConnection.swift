import Foundation

/// A socket to this machine that sends exactly the given bytes, even if they aren't HTTP.
final class RawConnection: Sendable {
    private let descriptor: Int32

    init?(port: Int) {
        #if os(Linux)
            let type = Int32(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard descriptor >= 0, result == 0 else { return nil }
        // A generous limit, only to end a test that hangs: answers are slow while many tests run.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends bytes and reads until `marker` is received or the server closes. Waits on a separate thread.
    ///
    /// - Parameter isLast: whether to close the sending side afterwards. Default: `false`.
    func ask(_ text: String, until marker: String, isLast: Bool = false) async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.send(text)
                if isLast { shutdown(self.descriptor, Int32(SHUT_WR)) }
                continuation.resume(returning: self.receive(until: marker))
            }
        }
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            sent += count
        }
    }

    private func receive(until marker: String) -> String {
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let answer = String(decoding: received, as: UTF8.self)
            if answer.contains(marker) { return answer }
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return answer }
            received += chunk[..<count]
        }
    }
}
