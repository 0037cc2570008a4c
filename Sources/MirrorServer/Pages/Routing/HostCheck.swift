import Foundation

/// Decides whether a request's `Host` names this server.
///
/// A web page can make a browser send requests to this machine under the page's own name (DNS rebinding), and would then be
/// permitted to read the answers. So a name that isn't this server's is refused. An address can't be rebound, so any address is
/// permitted.
struct HostCheck: Sendable {
    private let names: Set<String>

    /// - Parameters:
    ///   - host: the address or name on which the server listens.
    ///   - publicHost: the host of the public URL; `nil` if there is none.
    ///   - machine: the name of this machine.
    init(host: String, publicHost: String? = nil, machine: String = ProcessInfo.processInfo.hostName) {
        let machine = machine.lowercased()
        var names: Set<String> = [host.lowercased(), machine]
        if let publicHost { names.insert(publicHost.lowercased()) }
        if let short = machine.split(separator: ".").first {
            names.formUnion([String(short), "\(short).local"])
        }
        self.names = names
    }

    /// Whether a `Host` header, a name or address with an optional port, is permitted. A request without the header is
    /// permitted, because browsers always send it.
    func admits(_ host: String?) -> Bool {
        guard let host, !host.isEmpty else { return true }
        let name = Self.name(of: host.lowercased())
        return name == "localhost" || name.hasSuffix(".localhost") || Self.isAddress(name)
            || names.contains(name)
    }

    /// The header without the port and without the dot that ends an absolute name; the complete header if anything but a port
    /// follows the name.
    static func name(of host: String) -> String {
        let isBracketed = host.hasPrefix("[")
        let inner = host.prefix { $0 != (isBracketed ? "]" : ":") }
        let name = isBracketed ? host.prefix(inner.count + 1) : inner
        let port = host[name.endIndex...]
        let isPort = port.hasPrefix(":") && port.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard port.isEmpty || isPort else { return host }
        return String(name.hasSuffix(".") ? name.dropLast() : name)
    }

    private static func isAddress(_ name: String) -> Bool {
        if name.hasPrefix("["), name.hasSuffix("]") {
            var address = in6_addr()
            return inet_pton(AF_INET6, String(name.dropFirst().dropLast()), &address) == 1
        }
        var address = in_addr()
        return inet_pton(AF_INET, name, &address) == 1
    }
}
