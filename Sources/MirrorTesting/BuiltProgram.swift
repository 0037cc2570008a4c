import Foundation

/// The `mirror` command that was built with the tests.
package enum BuiltProgram {
    package static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "mirror").path

    /// Whether the command was built. Otherwise, tests that run it are skipped.
    package static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// The environment for a command that a test starts. It keeps the command from the network and the user's home folder.
    ///
    /// The proxy is a local port on which no server listens. Loopback addresses never use a proxy. The home folder
    /// doesn't exist.
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
