import Foundation

/// The command itself, as it was built beside the tests.
package enum BuiltProgram {
    package static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "mirror").path

    /// Whether it was built: tests of it are skipped otherwise.
    package static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// The environment for a command that a test starts: it reaches neither another machine nor the user's home folder.
    ///
    /// Its proxy is a port of this machine at which nobody listens; loopback addresses never go through a proxy. Its home
    /// folder does not exist.
    package static let environment: [String: String] = {
        var environment = ProcessInfo.processInfo.environment.filter { name, _ in
            !["MIRROR_", "XDG_", "SSL_CERT_", "CURL_"].contains(where: name.hasPrefix)
                && !name.lowercased().hasSuffix("_proxy")
        }
        environment["HOME"] = NSTemporaryDirectory() + "mirror-no-home-\(UUID().uuidString)"
        for scheme in ["http", "https", "all"] { environment["\(scheme)_proxy"] = "http://127.0.0.1:9" }
        return environment
    }()
}
