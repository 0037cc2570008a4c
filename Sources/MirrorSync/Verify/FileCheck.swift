import Catalogue
import Crypto
import Foundation
import MirrorStore

/// What is seen of a file on the disk.
enum FileSight: Sendable, Hashable {
    case nothing
    /// Something that is no plain file: a folder, a link.
    case other
    case file(length: Int64)
    /// Read to its end.
    case bytes(length: Int64, digest: String)
    case unreadable(String)
}

/// Decides whether a file is what the mirror knows of it.
enum FileCheck {
    /// - Parameter user: what has the file, for the message.
    static func finding(_ file: StoredFile, _ sight: FileSight, user: (kind: String, id: String)?) -> Finding?
    {
        func finding(_ what: Finding.What, _ message: String) -> Finding {
            Finding(what, kind: user?.kind, id: user?.id, path: file.path, message: message)
        }
        switch sight {
        case .nothing: return finding(.missing, "The file is not there.")
        case .other: return finding(.missing, "There is something else in the place of the file.")
        case .unreadable(let cause): return finding(.unreadable, "The file can't be read: \(cause).")
        case .file(let length), .bytes(let length, _):
            guard length == file.size else {
                return finding(.length, "The file has \(length) bytes, but should have \(file.size).")
            }
            if case .bytes(_, let digest) = sight, digest != file.hash {
                return finding(.digest, "The file's bytes are not those that were fetched.")
            }
            return nil
        }
    }

    /// Looks at a file, and reads it where that is wanted; a link is not followed.
    static func look(at path: String, reading: Bool) -> FileSight {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            return errno == ENOENT || errno == ENOTDIR
                ? .nothing : .unreadable(String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return .other }
        guard reading else { return .file(length: Int64(status.st_size)) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return .unreadable(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var hasher = SHA256()
        var length: Int64 = 0
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                return .unreadable(String(cString: strerror(errno)))
            }
            if count == 0 { return .bytes(length: length, digest: hasher.finalize().hexadecimal) }
            hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            length += Int64(count)
        }
    }
}
