import Foundation

/// A folder that exists as long as this value does.
package final class TemporaryFolder: Sendable {
    /// Absolute, without a slash at its end.
    package let path: String

    package init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("mirror-testing-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // A deinit can't throw; what stays behind lies in the system's temporary folder.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a name within.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// What a file within holds; `nil` if there is none.
    package func contents(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: file(name)).map { Array($0) }
    }

    /// The names of what lies in it, sorted.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }
}
