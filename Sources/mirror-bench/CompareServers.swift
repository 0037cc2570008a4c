import ChildProcesses
import Foundation

/// The servers that a comparison asks: `mirror serve`, with some extensions or without, and nginx with plain files.
final class CompareServers {
    private let children: MeasuredProcesses
    private let mirror: String, folder: String
    /// The same all along, so that a mirror's origin stays what it is.
    private(set) var port = 0
    private var server: ChildProcess?
    private var without: [String]?
    private var nginx: ChildProcess?
    private(set) var nginxPort = 0

    init(_ children: MeasuredProcesses, mirror: String, folder: String) {
        self.children = children
        self.mirror = mirror
        self.folder = folder
    }

    var origin: String { "\(folder)/origin" }

    /// Sees that the server runs and offers all but these extensions.
    func serve(without extensions: [String]) throws {
        if server != nil, without == extensions { return }
        stopServing()
        let file = "\(folder)/port"
        try? FileManager.default.removeItem(atPath: file)
        server = try children.start(
            mirror,
            ["serve", "--port", "\(port)", "--port-file", file, "--home", origin]
                + extensions.flatMap { ["--without", $0] },
            output: "\(folder)/serve.log")
        without = extensions
        port = try Self.wait("mirror serve") {
            (try? String(contentsOfFile: file, encoding: .utf8)).flatMap {
                Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }
    }

    func stopServing() {
        if let server { children.stop(server) }
        server = nil
        without = nil
    }

    /// Starts nginx over a folder of files, each called as its URL's path and query, and `.json`.
    func serveFiles(_ files: String) throws {
        stopFiles()
        nginxPort = try Self.freePort()
        let place = "\(folder)/nginx"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \"\(place)/\($0)\";" }.joined(separator: "\n  ")
        let configuration = """
            daemon off;
            master_process off;
            pid "\(place)/pid";
            error_log stderr;
            events { worker_connections 512; }
            http {
              \(temporary)
              access_log off;
              default_type application/json;
              sendfile on;
              tcp_nopush on;
              keepalive_requests 100000000;
              server {
                listen 127.0.0.1:\(nginxPort);
                root "\(files)";
                autoindex on;
                location / { try_files "$uri$is_args$args.json" $uri $uri/ =404; }
              }
            }

            """
        try Data(configuration.utf8).write(to: URL(filePath: "\(place)/nginx.conf"))
        nginx = try children.start(
            "nginx", ["-p", place, "-c", "\(place)/nginx.conf", "-e", "stderr"],
            output: "\(folder)/nginx.log")
        _ = try Self.wait("nginx") { Self.connects(to: nginxPort) ? 0 : nil }
    }

    func stopFiles() {
        if let nginx { children.stop(nginx) }
        nginx = nil
    }

    private static func wait(_ name: String, for ready: () -> Int?) throws -> Int {
        for _ in 0..<3_000 {
            if let number = ready() { return number }
            Thread.sleep(forTimeInterval: 0.01)
        }
        throw MeasuredProcesses.Failure(sentence: "\(name) did not listen within 30 seconds.")
    }

    private static func freePort() throws -> Int {
        var address = loopback(0)
        let socket = streamSocket()
        defer { close(socket) }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(socket, start, length) == 0 && getsockname(socket, start, &length) == 0
        }
        guard isBound else { throw MeasuredProcesses.Failure(sentence: "There is no free port.") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func connects(to port: Int) -> Bool {
        var address = loopback(port)
        let socket = streamSocket()
        defer { close(socket) }
        return withUnsafeBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return connect(socket, start, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }

    private static func streamSocket() -> Int32 {
        #if canImport(Glibc)
            socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
