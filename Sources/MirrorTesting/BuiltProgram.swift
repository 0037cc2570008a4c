import Foundation

/// The command itself, as it was built beside the tests.
public enum BuiltProgram {
    public static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "mirror").path

    /// Whether it was built: tests of it are skipped otherwise.
    public static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }
}
