#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// Wakes a thread that sleeps in `poll(2)`, from any thread.
///
/// Its descriptors are closed when nobody holds it any more, so nobody can write to a number that has become
/// another file's.
final class WakePipe: Sendable {
    /// Readable after ``wake()``, until ``drain()``.
    let descriptor: Int32
    private let writing: Int32

    /// `nil` if the process has no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        descriptor = ends[0]
        writing = ends[1]
        for end in ends {
            guard fcntl(end, F_SETFL, O_NONBLOCK) == 0, fcntl(end, F_SETFD, FD_CLOEXEC) == 0 else {
                return nil
            }
        }
    }

    deinit {
        close(descriptor)
        close(writing)
    }

    /// Never blocks; a pipe that is full wakes just as well.
    func wake() {
        var byte: UInt8 = 0
        while write(writing, &byte, 1) < 0, errno == EINTR {}
    }

    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count < buffer.count, count >= 0 || errno != EINTR { return }
            }
        }
    }
}
