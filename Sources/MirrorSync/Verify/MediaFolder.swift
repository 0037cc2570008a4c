import Foundation
import MirrorStore

/// Walks a mirror's `media` folder, one folder at a time, and removes strays.
struct MediaFolder: Sendable {
    /// The mirror's folder.
    let path: String
    let now: Date

    /// What is in a folder, in order.
    func entries(in folder: String) throws -> [MediaEntry] {
        try names(folder).map { name in entry("\(folder)/\(name)") }
    }

    /// What is right under `media` and is neither a folder of the mirror's nor that of broken downloads or damaged files.
    func odd() throws -> [MediaEntry] {
        try entries(in: "media").filter { entry in
            let isOurs =
                [StrayCheck.partialFolder, FileStore.damagedFolder].contains(entry.path)
                || StrayCheck.isOwn(folder: String(entry.path.dropFirst("media/".count)))
            return !(entry.isFolder && isOurs)
        }
    }

    func isFolder(_ relative: String) -> Bool { entry(relative).isFolder }

    /// - Parameter reading: whether a file is read to its end.
    func look(at relative: String, reading: Bool) -> FileSight {
        FileCheck.look(at: "\(path)/\(relative)", reading: reading)
    }

    /// Removes a file; a folder only if it is empty.
    func remove(_ relative: String) {
        if unlink("\(path)/\(relative)") != 0 { rmdir("\(path)/\(relative)") }
    }

    /// Makes sure that what a link leads to is there: on a disk that is away, no file is missing for good.
    ///
    /// - Throws: ``StoreError`` if `media`, or a folder in it, is a link that leads to nothing.
    func checkLinks(to folder: String) throws {
        for relative in ["media", folder] {
            let place = "\(path)/\(relative)"
            let files = FileManager.default
            guard (try? files.destinationOfSymbolicLink(atPath: place)) != nil,
                !files.fileExists(atPath: place)
            else { continue }
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

/// Something in `media`, as a folder's listing has it.
struct MediaEntry: Sendable, Hashable {
    /// Relative to the mirror's folder.
    let path: String
    let isFolder: Bool
    /// Since it was last written; negative where a clock that was ahead noted when.
    let age: TimeInterval

    /// Whether a run of the last day may have left it. What lies further ahead was written by a clock that was wrong.
    var isRecent: Bool { abs(age) < StrayCheck.patience }
}

/// Decides whether something in `media` belongs there.
///
/// A download that broke is taken up again by the next sync, so it is a stray only when it is old; so is a whole file that
/// has its name already, but whose run was killed before that was committed. The run lock is held meanwhile: nothing here
/// is in the hands of a run.
enum StrayCheck {
    /// How long what a run left half done may wait for the next.
    static let patience: TimeInterval = 86_400
    static let partialFolder = "media/.partial"

    /// What a file's name has for a digest: all before its extension.
    static func hash(of path: String) -> String {
        String((path.split(separator: "/").last ?? "").prefix { $0 != "." })
    }

    static func finding(_ entry: MediaEntry, known: Set<String>) -> Finding? {
        if entry.path.hasPrefix(partialFolder + "/") {
            guard entry.isFolder || !entry.isRecent else { return nil }
            return Finding(
                what: .stray, path: entry.path,
                message: "A download that broke off, and was not taken up again.")
        }
        if known.contains(entry.path) || !entry.isFolder && entry.isRecent && hasOwnName(entry.path) {
            return nil
        }
        return Finding(
            what: .stray, path: entry.path,
            message: entry.isFolder
                ? "This folder is not one of the mirror's. A repair takes it only if it is empty: move it away."
                : "Nothing in the mirror refers to this file.")
    }

    /// Whether a path is one that a file of the mirror's could have: `media/ab/abcd….jpg`.
    private static func hasOwnName(_ path: String) -> Bool {
        path.wholeMatch(of: /media\/([0-9a-f]{2})\/\1[0-9a-f]{62}(\.[^\/]*)?/) != nil
    }

    /// Whether a folder right under `media` is one of the mirror's: called by two digits of digests.
    static func isOwn(folder name: String) -> Bool { name.wholeMatch(of: /[0-9a-f]{2}/) != nil }
}
