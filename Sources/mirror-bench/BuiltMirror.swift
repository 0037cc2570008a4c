import Foundation

/// The binary `mirror` that is killed, built with the same configuration as this program.
struct BuiltMirror {
    let path: String

    /// No executable exists at the path.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// The path of the binary in this program's folder.
    static var defaultPath: String {
        // Not `CommandLine.arguments[0]`, which is a bare name if the program was found in `PATH`.
        let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return own.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "mirror").path
    }

    /// - Throws: ``Missing`` if there is no executable at the path.
    init(path: String = Self.defaultPath) throws {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Missing(
                description: "There is no mirror command at \(path). Build it with “swift build -c release”.")
        }
        self.path = path
    }
}
