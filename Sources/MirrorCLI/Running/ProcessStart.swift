import Foundation

/// What is arranged with the system before a command runs.
enum ProcessStart {
    /// Opens those of standard input, output and errors that the caller closed, so that no other file or pipe takes the
    /// number of one and receives what is printed. Reading from, or writing to, one of them fails as before.
    static func occupyStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // `open` takes the lowest free number, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Asks the system to schedule this process, and what it starts, as background work, in which no single step is waited
    /// for; does nothing where there is no such policy.
    ///
    /// The threads of a sync hand each other every answer. If a thread that wakes interrupts the one that woke it, each
    /// answer is handed on alone, and part of the processors' time goes to changing between threads. Under Linux's
    /// `SCHED_BATCH` (sched(7)) they don't interrupt each other, nor other programs.
    static func beginBatchScheduling() {
        #if os(Linux)
            // `SCHED_OTHER` and `SCHED_BATCH`, macros that aren't imported.
            let ordinary: Int32 = 0, batch: Int32 = 3
            var parameter = sched_param()
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            // A policy that was chosen for this process stays. If the system refuses, as in some containers, the command
            // is only slower.
            for thread in threads.compactMap({ pid_t($0) }) where sched_getscheduler(thread) == ordinary {
                sched_setscheduler(thread, batch, &parameter)
            }
        #endif
    }
}

/// The bytes of arguments, environment and current folder, before Swift reads them as text.
///
/// Where they aren't UTF-8, Swift replaces some of them in silence, and another file would be opened.
struct InputBytes {
    /// Without the program's own name.
    let arguments: [[UInt8]]
    /// By the name of the variable.
    let environment: [String: [UInt8]]
    let folder: [UInt8]

    /// The variables that this program reads as paths, or as a part of one.
    static let variables = [
        "HOME", "XDG_DATA_HOME", "MIRROR_HOME", "MIRROR_ENABLE", "TMPDIR", "CURL_CA_BUNDLE", "SSL_CERT_FILE",
        "SSL_CERT_DIR",
    ]

    /// Those of this process.
    static func current() -> InputBytes {
        let arguments = (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0] }
        var environment: [String: [UInt8]] = [:]
        for name in variables { environment[name] = getenv(name).map(bytes) }
        // A folder that was removed has no name.
        let folder = getcwd(nil, 0)
        defer { free(folder) }
        return InputBytes(
            arguments: arguments.map(bytes), environment: environment, folder: folder.map(bytes) ?? [])
    }

    /// One sentence that says what isn't UTF-8, and what to do; `nil` if all is.
    var fault: String? {
        if let argument = arguments.first(where: { !Self.isText($0) }) {
            return
                "The argument \(Self.visible(argument)) is not valid UTF-8, so the file or name that is meant can't be found. Give the file a name in UTF-8, or make a link to it that has one."
        }
        for name in Self.variables {
            guard let value = environment[name], !Self.isText(value) else { continue }
            return
                "The variable \(name) is not valid UTF-8 (\(Self.visible(value))), so the file that is meant can't be found. Set it to a path in UTF-8 for this command: \(name)=PATH mirror …"
        }
        guard Self.isText(folder) else {
            return
                "The name of the current folder, \(Self.visible(folder)), is not valid UTF-8. Run mirror in another folder."
        }
        return nil
    }

    private static func bytes(_ text: UnsafeMutablePointer<CChar>) -> [UInt8] {
        UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:))
    }

    private static func isText(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// Bytes that are not printable ASCII are shown in hexadecimal.
    static func visible(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            (0x20..<0x7F).contains(byte)
                ? String(UnicodeScalar(byte)) : "\\x" + String(format: "%02X", byte)
        }.joined()
    }
}
