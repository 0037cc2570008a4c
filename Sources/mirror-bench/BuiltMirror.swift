import Foundation

/// The command that is killed: the real binary, built as this one was.
struct BuiltMirror {
    let path: String

    /// There is no command at that path; as a sentence.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// The one that lies beside this program.
    static var beside: String {
        // Not the first argument, which is a bare name where the program was found by PATH.
        let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        return own.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "mirror").path
    }

    /// - Throws: ``Missing``.
    init(path: String = Self.beside) throws {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Missing(
                description: "There is no command at \(path). Build it with “swift build -c release”.")
        }
        self.path = path
    }
}
