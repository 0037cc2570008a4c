import Foundation

/// Prepares the process before a command runs.
enum ProcessStart {
    /// Opens the standard descriptors that the caller closed.
    ///
    /// Otherwise another file or pipe could get one of their numbers and receive what is printed. Reading from standard input
    /// and writing to standard output or error still fail.
    static func occupyStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // `open` uses the lowest free number, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Sets Linux's batch scheduling (`SCHED_BATCH`, see sched(7)) for this process and its children. Does nothing on macOS.
    ///
    /// The threads of a sync pass every answer on to each other. With ordinary scheduling, a thread that wakes up interrupts the
    /// thread that woke it, so that much processor time is spent on context switches. With `SCHED_BATCH` it doesn't.
    static func beginBatchScheduling() {
        #if os(Linux)
            // `SCHED_OTHER` and `SCHED_BATCH`: Swift doesn't import these macros.
            let ordinary: Int32 = 0, batch: Int32 = 3
            var parameter = sched_param()
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            // A policy that the caller set is kept. If the system refuses the change, as in some containers, the command is
            // only slower.
            for thread in threads.compactMap({ pid_t($0) }) where sched_getscheduler(thread) == ordinary {
                sched_setscheduler(thread, batch, &parameter)
            }
        #endif
    }
}

/// The bytes of the arguments, the environment and the current folder.
///
/// They must be UTF-8: Swift silently replaces invalid bytes, so another file would be opened.
struct InputBytes {
    /// Without the program's own name.
    let arguments: [[UInt8]]
    /// The values of ``variables`` that are set.
    let environment: [String: [UInt8]]
    let folder: [UInt8]

    /// The variables that this program uses as paths, parts of paths, or names.
    static let variables = [
        "HOME", "XDG_DATA_HOME", "MIRROR_HOME", "MIRROR_ENABLE", "TMPDIR", "CURL_CA_BUNDLE", "SSL_CERT_FILE",
        "SSL_CERT_DIR",
    ]

    /// The bytes of this process.
    static func current() -> InputBytes {
        let arguments = (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0] }
        var environment: [String: [UInt8]] = [:]
        for name in variables { environment[name] = getenv(name).map(bytes) }
        // `getcwd` returns `NULL` if the folder was removed.
        let folder = getcwd(nil, 0)
        defer { free(folder) }
        return InputBytes(
            arguments: arguments.map(bytes), environment: environment, folder: folder.map(bytes) ?? [])
    }

    /// A message about the first value that isn't UTF-8; `nil` if all are.
    var fault: String? {
        if let argument = arguments.first(where: { !Self.isText($0) }) {
            return
                "The argument \(Self.visible(argument)) is not valid UTF-8, so its file or object can't be found. Rename the file in UTF-8, or create a link to it that has such a name."
        }
        for name in Self.variables {
            guard let value = environment[name], !Self.isText(value) else { continue }
            return
                "The variable \(name) is not valid UTF-8 (\(Self.visible(value))), so its file can't be found. Set it to a path in UTF-8 for this command: \(name)=PATH mirror …"
        }
        guard Self.isText(folder) else {
            return
                "The name of the current folder, \(Self.visible(folder)), is not valid UTF-8, so no relative path can be used. Run mirror in another folder."
        }
        return nil
    }

    private static func bytes(_ text: UnsafeMutablePointer<CChar>) -> [UInt8] {
        UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:))
    }

    private static func isText(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// The bytes as text, with all but printable ASCII in hexadecimal.
    static func visible(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            (0x20..<0x7F).contains(byte)
                ? String(UnicodeScalar(byte)) : "\\x" + String(format: "%02X", byte)
        }.joined()
    }
}
