/// Which numeric addresses are reachable for everybody (the IANA special-purpose registries, RFC 6890).
package enum AddressRange {
    /// Whether a numeric IPv4 or IPv6 address is a public one; `false` for what isn't an address.
    package static func isPublic(_ text: String) -> Bool {
        if let v4 = ipv4(text[...]) { return isPublic(v4: v4) }
        guard let v6 = ipv6(text) else { return false }
        return isPublic(v6: v6)
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

    private static func isPublic(v6 a: [UInt16]) -> Bool {
        // IPv4 in IPv6: mapped, compatible, and the 64:ff9b::/96 translation prefix.
        let head = a[0..<6]
        if head.allSatisfy({ $0 == 0 }) || (head.dropLast().allSatisfy { $0 == 0 } && a[5] == 0xFFFF)
            || (a[0] == 0x64 && a[1] == 0xFF9B && a[2..<6].allSatisfy { $0 == 0 })
        {
            return isPublic(v4: [UInt8(a[6] >> 8), UInt8(a[6] & 255), UInt8(a[7] >> 8), UInt8(a[7] & 255)])
        }
        if a[0] == 0x2002 {
            return isPublic(v4: [UInt8(a[1] >> 8), UInt8(a[1] & 255), UInt8(a[2] >> 8), UInt8(a[2] & 255)])
        }
        // Global unicast is 2000::/3; documentation and Teredo lie in it.
        guard a[0] & 0xE000 == 0x2000 else { return false }
        return !(a[0] == 0x2001 && (a[1] == 0x0DB8 || a[1] == 0))
    }

    private static func ipv4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let bytes = parts.compactMap { part in
            part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt8(part) : nil
        }
        return bytes.count == 4 ? bytes : nil
    }

    private static func ipv6(_ text: String) -> [UInt16]? {
        // A zone (`fe80::1%eth0`) is a matter of this machine alone.
        guard text.contains(":"), !text.contains("%") else { return nil }
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2 else { return nil }
        guard let left = groups(halves[0]) else { return nil }
        guard halves.count == 2 else { return left.count == 8 ? left : nil }
        guard let right = groups(halves[1]), left.count + right.count < 8 else { return nil }
        return left + [UInt16](repeating: 0, count: 8 - left.count - right.count) + right
    }

    private static func groups(_ text: Substring) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var found: [UInt16] = []
        for part in text.split(separator: ":", omittingEmptySubsequences: false) {
            if let v4 = ipv4(part) {
                found += [UInt16(v4[0]) << 8 | UInt16(v4[1]), UInt16(v4[2]) << 8 | UInt16(v4[3])]
            } else if (1...4).contains(part.utf8.count), let group = UInt16(part, radix: 16) {
                found.append(group)
            } else {
                return nil
            }
        }
        return found
    }
}
