import Foundation

/// Resolves host names with the system's resolver, as the transport does.
enum HostResolver {
    /// The numeric addresses of a host.
    ///
    /// `getaddrinfo` blocks, so it runs on a dispatch queue instead of Swift's cooperative threads.
    static func addresses(of host: String) async throws -> [String] {
        let (results, continuation) = AsyncStream<Result<[String], any Error>>.makeStream()
        DispatchQueue.global().async { continuation.yield(Result { try lookUp(host) }) }
        for await result in results { return try result.get() }
        // The lookup can't be cancelled; its result is discarded.
        throw CancellationError()
    }

    private static func lookUp(_ host: String) throws -> [String] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0, let list else {
            throw failure(String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(list) }
        var found: [String] = []
        for entry in sequence(first: list, next: \.pointee.ai_next) {
            let address = entry.pointee
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let status = getnameinfo(
                address.ai_addr, address.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
            guard status == 0 else { continue }
            found.append(
                String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        guard !found.isEmpty else { throw failure("no address") }
        return found
    }

    private static func failure(_ message: String) -> TransportError {
        TransportError(.cannotResolveHost, message, mayHaveReachedServer: false)
    }
}

/// Classifies numeric addresses as public or not (IANA special-purpose registries, RFC 6890).
package enum AddressRange {
    /// Whether the text is a public IPv4 or IPv6 address; `false` if it isn't an address.
    package static func isPublic(_ text: String) -> Bool {
        if let v4 = bytes(text, AF_INET, count: 4) { return isPublic(v4: v4) }
        return bytes(text, AF_INET6, count: 16).map { isPublic(v6: $0) } ?? false
    }

    /// The bytes of a numeric address; `nil` if it isn't one, or has a zone (`fe80::1%eth0`), which is local to this machine.
    private static func bytes(_ text: String, _ family: Int32, count: Int) -> [UInt8]? {
        guard !text.utf8.contains(UInt8(ascii: "%")) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    private static func isPublic(v4 a: [UInt8]) -> Bool {
        switch (a[0], a[1]) {
        case (0, _), (10, _), (127, _), (224...255, _): false
        case (100, 64...127), (169, 254), (172, 16...31), (192, 168), (198, 18...19): false
        case (192, 0): a[2] != 0 && a[2] != 2
        case (198, 51): a[2] != 100
        case (203, 0): a[2] != 113
        default: true
        }
    }

    private static func isPublic(v6 a: [UInt8]) -> Bool {
        // IPv4 in IPv6: IPv4-compatible, IPv4-mapped, and the translation prefix 64:ff9b::/96.
        let zeros = [UInt8](repeating: 0, count: 12)
        let prefixes = [zeros, zeros[..<10] + [0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B] + zeros[..<8]]
        if prefixes.contains(where: { a.starts(with: $0) }) { return isPublic(v4: Array(a[12...])) }
        // 6to4.
        if a.starts(with: [0x20, 0x02]) { return isPublic(v4: Array(a[2..<6])) }
        // Global unicast is 2000::/3, without the documentation and Teredo prefixes in it.
        return a[0] & 0xE0 == 0x20 && !a.starts(with: [0x20, 0x01, 0x0D, 0xB8])
            && !a.starts(with: [0x20, 0x01, 0, 0])
    }
}
