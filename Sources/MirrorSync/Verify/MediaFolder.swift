import Foundation
import MirrorStore

/// Walks a mirror's `media` folder, one folder at a time, and removes strays.
struct MediaFolder: Sendable {
    /// The mirror's folder.
    let path: String
    let now: Date

    /// The names right under `media`, in order; empty where there is none.
    func folders() throws -> [String] { try names("media") }

    /// What is in a folder; `media` itself has the folders of the mirror's left out.
    func entries(in folder: String) throws -> [MediaEntry] {
        try names(folder).map { name in entry("\(folder)/\(name)") }
    }

    /// What is right under `media` and is neither a folder of the mirror's nor that of broken downloads or damaged files.
    func odd() throws -> [MediaEntry] {
        try folders().map { entry("media/\($0)") }.filter { entry in
            let name = String(entry.path.dropFirst("media/".count))
            return
                !(entry.isFolder
                && (StrayCheck.isOwn(folder: name) || entry.path == StrayCheck.partialFolder
                    || entry.path == FileStore.damagedFolder))
        }
    }

    func isFolder(_ relative: String) -> Bool { entry(relative).isFolder }

    /// The digest of a file's bytes; `nil` if they can't be read.
    func digest(_ relative: String) -> String? {
        guard case .bytes(_, let digest) = FileCheck.look(at: "\(path)/\(relative)", reading: true) else {
            return nil
        }
        return digest
    }

    /// Removes a file; a folder only if it is empty.
    ///
    /// - Returns: why it could not be removed.
    func remove(_ relative: String) -> String? {
        guard unlink("\(path)/\(relative)") != 0 else { return nil }
        let failure = errno
        if failure == ENOENT || rmdir("\(path)/\(relative)") == 0 { return nil }
        return String(cString: strerror(failure == EISDIR || failure == EPERM ? errno : failure))
    }

    /// Makes sure that what a link leads to is there: on a disk that is away, no file is missing for good.
    ///
    /// - Throws: ``StoreError`` if `media`, or a folder in it, is a link that leads to nothing.
    func checkLinks(to folder: String) throws {
        for relative in ["media", folder] {
            let place = "\(path)/\(relative)"
            var link = stat(), target = stat()
            guard lstat(place, &link) == 0, link.st_mode & S_IFMT == S_IFLNK, stat(place, &target) != 0 else {
                continue
            }
            throw StoreError(
                .readOnly,
                "\(place) is a link to something that isn't there. Mount the disk it is on, or remove the link to fetch the files again."
            )
        }
    }

    private func entry(_ relative: String) -> MediaEntry {
        var status = stat()
        guard lstat("\(path)/\(relative)", &status) == 0 else {
            return MediaEntry(path: relative, isFolder: false, age: 0)
        }
        #if canImport(Darwin)
            let written = status.st_mtimespec
        #else
            let written = status.st_mtim
        #endif
        return MediaEntry(
            path: relative, isFolder: status.st_mode & S_IFMT == S_IFDIR,
            age: now.timeIntervalSince1970 - TimeInterval(written.tv_sec))
    }

    /// What is in a folder, in order; nothing where there is none.
    func names(_ relative: String) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(relative)").sorted()
        } catch let error as CocoaError
            where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
        {
            return []
        } catch {
            throw StoreError(
                .readOnly, "\(path)/\(relative) can't be read. Check its permissions.",
                cause: error.localizedDescription)
        }
    }
}
