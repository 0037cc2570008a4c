import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Asks the system for a host's addresses, the way the transport does.
enum HostResolver {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// `getaddrinfo` blocks, so it runs on a dispatch queue's thread, not on one of Swift's cooperative ones.
    static func addresses(of host: String) async throws -> [String] {
        let answer = Answer()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer.wait(continuation)
                DispatchQueue.global().async { answer.give(lookUp(host).mapError { $0 }) }
            }
        } onCancel: {
            // The look-up itself can't be ended; nobody waits for it any more.
            answer.give(.failure(CancellationError()))
        }
    }

    /// The first of a look-up's result and its cancellation.
    private final class Answer: Sendable {
        typealias Continuation = CheckedContinuation<[String], any Error>
        private struct State {
            var waiting: Continuation?
            var given: Result<[String], any Error>?
        }
        private let state = Mutex(State())

        func wait(_ continuation: Continuation) {
            let given = state.withLock { state in
                if state.given == nil { state.waiting = continuation }
                return state.given
            }
            if let given { continuation.resume(with: given) }
        }

        func give(_ result: Result<[String], any Error>) {
            let waiting = state.withLock { state in
                if state.given == nil { state.given = result }
                return state.waiting.take()
            }
            waiting?.resume(with: result)
        }
    }

    private static func lookUp(_ host: String) -> Result<[String], Failure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { return .failure(Failure(description: String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(list) }
        var found: [String] = []
        var next = list
        while let entry = next {
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let status = getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &name, socklen_t(name.count), nil, 0,
                NI_NUMERICHOST)
            if status == 0 {
                found.append(
                    String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
            next = entry.pointee.ai_next
        }
        return found.isEmpty ? .failure(Failure(description: "no address")) : .success(found)
    }
}
