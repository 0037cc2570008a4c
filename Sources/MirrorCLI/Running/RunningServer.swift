import Catalogue
import Foundation
import MirrorStore

/// The server of a home folder that `mirror open` uses if it is running: its address and face, in a file that it keeps locked.
///
/// The lock ends with the process, however it ends, so a file of a killed server is never mistaken for a running one.
final class RunningServer {
    /// Where a running server can be reached, and what it shows.
    struct Address: Hashable {
        /// An address or name of this machine, such as `127.0.0.1` or `::1`.
        var host = "127.0.0.1"
        let port: Int
        let isStaff: Bool

        /// The address of the server's pages, without a slash at its end.
        var url: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    }

    private let descriptor: Int32
    private let path: String

    private static func path(in home: MirrorHome) -> String { "\(home.path)/.server" }

    /// The address of the running server; `nil` if none is running.
    static func find(in home: MirrorHome) -> Address? {
        let descriptor = open(path(in: home), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // A running server keeps the lock, so if this process gets it, none is running. Other errors say nothing of a server.
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        guard let data = FileManager.default.contents(atPath: path(in: home)),
            let json = try? JSONValue(parsing: [UInt8](data)).objectValue,
            let port = json["port"]?.numberValue?.intValue, (1...65_535).contains(port),
            let host = json["host"]?.stringValue, isHost(host)
        else { return nil }
        return Address(host: host, port: port, isStaff: json["staff"] == .bool(true))
    }

    /// Whether a text can be the host of an address: letters, digits, dots, colons and hyphens.
    private static func isHost(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || [0x2D, 0x2E, 0x3A].contains(byte)
            }
    }

    /// Announces a server that runs in this process; `nil` if another one is announced, or the folder can't be written.
    init?(_ address: Address, in home: MirrorHome) {
        path = Self.path(in: home)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        let json = JSONObject([
            ("host", .string(address.host)), ("port", .number(JSONNumber(address.port))),
            ("staff", .bool(address.isStaff)),
        ])
        let bytes = Array(JSONValue.object(json).canonicalText.utf8)
        guard ftruncate(descriptor, 0) == 0, write(descriptor, bytes, bytes.count) == bytes.count else {
            close(descriptor)
            return nil
        }
    }

    /// Removes the announcement.
    func end() {
        unlink(path)
        close(descriptor)
    }
}
