import Foundation

/// How what was written gets to the disk itself. Each call returns whether that went well, else `errno` says why.
package struct DiskSync: Sendable {
    /// A file's bytes, or the names in a folder.
    package let path: @Sendable (String) -> Bool
    /// Everything on the file system that a path is on; `nil` where the system has no such call.
    package let fileSystem: (@Sendable (String) -> Bool)?

    package init(
        path: @escaping @Sendable (String) -> Bool, fileSystem: (@Sendable (String) -> Bool)?
    ) {
        self.path = path
        self.fileSystem = fileSystem
    }

    package static let system: DiskSync = {
        let whole: (@Sendable (String) -> Bool)?
        if let syncfs { whole = { path in opened(path) { syncfs($0) } } } else { whole = nil }
        return DiskSync(path: { path in opened(path) { fsync($0) } }, fileSystem: whole)
    }()

    private typealias Call = @convention(c) @Sendable (Int32) -> Int32

    /// Linux's call, which Swift's headers of the C library leave out.
    private static let syncfs: Call? = {
        #if os(Linux)
            dlsym(nil, "syncfs").map { unsafeBitCast($0, to: Call.self) }
        #else
            nil
        #endif
    }()

    private static func opened(_ path: String, _ sync: (Int32) -> Int32) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        let result = sync(descriptor), code = errno
        close(descriptor)
        errno = code
        return result == 0
    }
}
