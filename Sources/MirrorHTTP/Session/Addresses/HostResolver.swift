import Dispatch
import Foundation

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
        let (results, continuation) = AsyncStream<Result<[String], Failure>>.makeStream()
        DispatchQueue.global().async { continuation.yield(lookUp(host)) }
        for await result in results { return try result.get() }
        // The look-up itself can't be ended; nothing waits for it any more.
        throw CancellationError()
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

/// Which numeric addresses are reachable for everybody (the IANA special-purpose registries, RFC 6890).
package enum AddressRange {
    /// Whether a numeric IPv4 or IPv6 address is a public one; `false` for what isn't an address.
    package static func isPublic(_ text: String) -> Bool {
        if let v4 = bytes(text, AF_INET, count: 4) { return isPublic(v4: v4) }
        return bytes(text, AF_INET6, count: 16).map { isPublic(v6: $0) } ?? false
    }

    /// The system's reading of an address. One with a zone (`fe80::1%eth0`) is a matter of this machine alone, and is none.
    private static func bytes(_ text: String, _ family: Int32, count: Int) -> ArraySlice<UInt8>? {
        guard !text.contains("%") else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes[...] : nil
    }

    private static func isPublic(v4: ArraySlice<UInt8>) -> Bool {
        let a = Array(v4)
        return switch (a[0], a[1]) {
        case (0, _), (10, _), (127, _), (224...255, _): false
        case (100, 64...127), (169, 254), (172, 16...31), (192, 168), (198, 18...19): false
        case (192, 0): a[2] != 0 && a[2] != 2
        case (198, 51): a[2] != 100
        case (203, 0): a[2] != 113
        default: true
        }
    }

    private static func isPublic(v6 a: ArraySlice<UInt8>) -> Bool {
        // IPv4 in IPv6: compatible, mapped, and the 64:ff9b::/96 translation prefix.
        let zeros = [UInt8](repeating: 0, count: 12)
        let prefixes = [zeros, zeros[..<10] + [0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B] + zeros[..<8]]
        if prefixes.contains(where: { a.starts(with: $0) }) { return isPublic(v4: a[12...]) }
        // 6to4.
        if a.starts(with: [0x20, 0x02]) { return isPublic(v4: a[2..<6]) }
        // Global unicast is 2000::/3; documentation and Teredo lie in it.
        return a[0] & 0xE0 == 0x20 && !a.starts(with: [0x20, 0x01, 0x0D, 0xB8])
            && !a.starts(with: [0x20, 0x01, 0, 0])
    }
}
