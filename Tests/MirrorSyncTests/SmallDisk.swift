import ChildProcesses
import Foundation

/// A file system in memory that fills up, or can't be written, when a test says so. Only root may make one, and only on Linux.
final class SmallDisk: Sendable {
    let path: String

    /// Whether this process may make any.
    static let isPossible: Bool = {
        let place = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        do {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try SmallDisk(place.path, megabytes: 1).end()
            return true
        } catch {
            return false
        }
    }()

    /// A command that did not do what it was told.
    struct Failed: Error {
        let command: [String]
    }

    /// Puts one in the place of an empty folder.
    init(_ path: String, megabytes: Int) throws {
        self.path = path
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path)
    }

    /// Leaves no room at all.
    func fill() {
        let filler = open("\(path)/filler", O_CREAT | O_WRONLY, 0o600)
        guard filler >= 0 else { return }
        let zeros = [UInt8](repeating: 0, count: 65_536)
        for size in [zeros.count, 1] { while write(filler, zeros, size) > 0 {} }
        close(filler)
    }

    /// Takes back ``fill()``.
    func makeRoom() throws { try FileManager.default.removeItem(atPath: "\(path)/filler") }

    /// Lets nothing be written, or all again.
    ///
    /// The system refuses while any process has a file of it open for writing. A child that another test is just starting
    /// has all that is open here until it runs its program, so it is asked again for some seconds.
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
