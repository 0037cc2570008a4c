import Foundation
import MirrorStore

/// Lists the files in a mirror's `media` folder, one folder at a time, and removes stray ones.
struct MediaFolder: Sendable {
    /// The mirror's folder.
    let path: String
    let now: Date

    /// The entries of a folder, sorted by name; empty if there is no such folder.
    func entries(in folder: String) throws -> [MediaEntry] {
        try names(folder).map { name in entry("\(folder)/\(name)") }
    }

    /// The entries directly in `media` that don't belong there: all but the mirror's folders of files, unfinished downloads and
    /// damaged files.
    func unknownEntries() throws -> [MediaEntry] {
        try entries(in: "media").filter { entry in
            let isOurs =
                [StrayCheck.partialFolder, FileStore.damagedFolder].contains(entry.path)
                || StrayCheck.isOwn(folder: String(entry.path.dropFirst("media/".count)))
            return !(entry.isFolder && isOurs)
        }
    }

    func isFolder(_ relative: String) -> Bool { entry(relative).isFolder }

    /// Reads the state of a file.
    ///
    /// - Parameter reading: whether the file is read to its end, to compute its digest.
    func state(of relative: String, reading: Bool) -> FileState {
        FileCheck.state(at: "\(path)/\(relative)", reading: reading)
    }

    /// Removes a file or an empty folder; does nothing if that fails.
    func remove(_ relative: String) {
        if unlink("\(path)/\(relative)") != 0 { rmdir("\(path)/\(relative)") }
    }

    /// Checks that links have a target, so that files on an unmounted disk aren't treated as deleted.
    ///
    /// - Throws: ``StoreError`` if `media` or the folder in it is a broken link.
    func checkLinks(to folder: String) throws {
        for relative in ["media", folder] {
            let location = "\(path)/\(relative)"
            let files = FileManager.default
            guard (try? files.destinationOfSymbolicLink(atPath: location)) != nil,
                !files.fileExists(atPath: location)
            else { continue }
            throw StoreError(
                .readOnly,
                "\(location) is a link to something that doesn't exist. Mount its disk, or remove the link to fetch the files again."
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

    /// The sorted names of a folder's entries; empty if there is no such folder.
    ///
    /// - Throws: ``StoreError`` if the folder can't be read.
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

/// A file or folder in `media`.
struct MediaEntry: Sendable, Hashable {
    /// Relative to the mirror's folder.
    let path: String
    let isFolder: Bool
    /// Seconds since the last modification; negative if the clock was ahead when the file was written.
    let age: TimeInterval

    /// Whether a run of the last day may have written it. An age of less than minus one day means that the clock was wrong.
    var isRecent: Bool { abs(age) < StrayCheck.maximumAge }
}

/// Decides whether an entry of `media` belongs there.
///
/// Two sorts of recent files are no strays, even if the database doesn't contain them: an unfinished download, which the next
/// sync resumes, and a complete file whose run was killed before its row was committed. The caller holds the run lock, so no
/// other run writes files at the same time.
enum StrayCheck {
    /// The seconds during which files of an unfinished run are kept for the next one.
    static let maximumAge: TimeInterval = 86_400
    static let partialFolder = "media/.partial"

    /// The digest in a file's name: the part before the first dot.
    static func hash(of path: String) -> String {
        String((path.split(separator: "/").last ?? "").prefix { $0 != "." })
    }

    static func finding(_ entry: MediaEntry, known: Set<String>) -> Finding? {
        if entry.path.hasPrefix(partialFolder + "/") {
            guard entry.isFolder || !entry.isRecent else { return nil }
            return Finding(
                what: .stray, path: entry.path,
                message: "This is an unfinished download that was not resumed.")
        }
        if known.contains(entry.path) || !entry.isFolder && entry.isRecent && hasOwnName(entry.path) {
            return nil
        }
        return Finding(
            what: .stray, path: entry.path,
            message: entry.isFolder
                ? "This folder does not belong to the mirror. A repair removes it only if it is empty, so move it away."
                : "Nothing in the mirror refers to this file.")
    }

    /// Whether the path has the form of a stored file's path: `media/ab/abcd….jpg`.
    private static func hasOwnName(_ path: String) -> Bool {
        path.wholeMatch(of: /media\/([0-9a-f]{2})\/\1[0-9a-f]{62}(\.[^\/]*)?/) != nil
    }

    /// Whether a folder directly in `media` is one of the mirror's: their names are two hexadecimal digits.
    static func isOwn(folder name: String) -> Bool { name.wholeMatch(of: /[0-9a-f]{2}/) != nil }
}
