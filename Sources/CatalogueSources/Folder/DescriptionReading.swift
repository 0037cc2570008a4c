import Foundation

/// Reads the file of a description, which has to be a regular one of at most 1 MiB.
enum DescriptionReading {
    /// The text of a file.
    ///
    /// - Parameters:
    ///   - name: the file's name in messages.
    ///   - followsLinks: whether the path may be a symbolic link. A link in a folder could be somebody else's.
    /// - Throws: ``SourceDescriptionError`` for a file that is missing, unreadable, not regular, too large or not UTF-8.
    static func text(
        atPath path: String, name: String, followsLinks: Bool
    ) throws(SourceDescriptionError) -> String {
        func failure(_ message: String) -> SourceDescriptionError {
            SourceDescriptionError(message, file: name)
        }
        // `O_NONBLOCK`: the path may be a pipe, and opening one would wait for a writer.
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
        let descriptor = open(path, flags)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw failure("There is no such file. Check the path.")
            case ELOOP:
                throw failure(
                    "The file is a symbolic link. Replace it with a copy of the file that it refers to.")
            default: throw failure("The file can't be read. Check its permissions.")
            }
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            throw failure(
                "This is \(isFolder ? "a folder" : "not a regular file"), so it can't be a description. \(followsLinks ? "Give the path of a file." : "Move it out of the folder of sources.")"
            )
        }
        // One byte more than allowed, so that a larger file is recognised by its text.
        guard let data = try? handle.read(upToCount: DescriptionFile.maximumSize + 1) ?? Data() else {
            throw failure("The file can't be read. Check its permissions and the disk.")
        }
        guard data.count <= DescriptionFile.maximumSize else { throw failure(DescriptionFile.tooLarge) }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw failure("The file is not UTF-8 text. Save it as UTF-8.")
        }
        return text
    }
}
