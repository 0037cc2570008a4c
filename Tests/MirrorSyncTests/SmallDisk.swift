import ChildProcesses
import Foundation

/// A file system in memory that a test can fill up or make read-only. Only root can create one, and only on Linux.
final class SmallDisk: Sendable {
    let path: String

    /// Whether this process can create one.
    static let isPossible: Bool = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try SmallDisk(folder.path, megabytes: 1).end()
            return true
        } catch {
            return false
        }
    }()

    /// A command that failed.
    struct Failed: Error {
        let command: [String]
    }

    /// Mounts a file system at an empty folder.
    init(_ path: String, megabytes: Int) throws {
        self.path = path
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path)
    }

    /// Fills the file system completely.
    func fill() {
        let filler = open("\(path)/filler", O_CREAT | O_WRONLY, 0o600)
        guard filler >= 0 else { return }
        let zeros = [UInt8](repeating: 0, count: 65_536)
        for size in [zeros.count, 1] { while write(filler, zeros, size) > 0 {} }
        close(filler)
    }

    /// Undoes ``fill()``.
    func makeRoom() throws { try FileManager.default.removeItem(atPath: "\(path)/filler") }

    /// Makes the file system read-only, or writable again.
    ///
    /// The system refuses while any process has one of its files open for writing. A child process that another test starts has
    /// this process's open files until it runs its program, so the command is retried for up to 20 seconds.
    func seal(_ isSealed: Bool) throws {
        let last = ContinuousClock.now + .seconds(20)
        while true {
            do {
                return try Self.run("mount", "-o", "remount,\(isSealed ? "ro" : "rw")", path)
            } catch {
                guard ContinuousClock.now < last else { throw error }
                usleep(20_000)
            }
        }
    }

    /// Unmounts the file system.
    func end() throws { try Self.run("umount", "-l", path) }

    private static func run(_ words: String...) throws {
        #if os(Linux)
            guard geteuid() == 0 else { throw Failed(command: words) }
            let process = try ChildProcess("/usr/bin/env", words, output: .nothing, errors: .nothing)
            guard process.wait().status == 0 else { throw Failed(command: words) }
        #else
            throw Failed(command: words)
        #endif
    }
}
