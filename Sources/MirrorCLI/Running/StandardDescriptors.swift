import Foundation

/// Standard input, output and errors, of which whoever starts this program may have closed some.
enum StandardDescriptors {
    /// Gives those that are missing to nobody: else the next file or pipe that is opened would be one of them, and what is
    /// printed would go there. To read from, or write to, one of them fails as it did.
    static func occupy() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest number that is free.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
