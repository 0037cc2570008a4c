import Crypto
import Foundation
import MirrorStore

/// Invariants 5 and 12, of files: a file with its final name is intact, and no file's name comes from the server.
struct FolderCheck {
    let folder: MirrorFolder
    /// Whether pictures are downloaded.
    let hasMedia: Bool

    /// The names of the files that SQLite creates beside a database.
    private static let sqliteFiles = Set(
        ["mirror.sqlite", "cache.sqlite"].flatMap { name in ["-wal", "-shm", "-journal"].map { name + $0 } })

    func violations() -> [Violation] {
        let manager = FileManager.default
        var found: [Violation] = []
        let own: Set = ["mirror.sqlite", "cache.sqlite", "media", "lock", "watch.lock"]
        for name in (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
        where !own.contains(name) && !Self.sqliteFiles.contains(name) {
            found.append(Violation(.serverDataIsUntrusted, "There is a file \(name) in the mirror's folder."))
        }
        let parent = URL(filePath: folder.path).deletingLastPathComponent().path
        for name in (try? manager.contentsOfDirectory(atPath: parent)) ?? [] where name != folder.name {
            found.append(
                Violation(.serverDataIsUntrusted, "There is a file \(name) beside the mirror's folder."))
        }
        return hasMedia ? found + files() : found
    }

    /// The hash in a name `media/ab/…`; `nil` if no file may have that name.
    ///
    /// Without regular expressions, which took longer than all other checks of the folder.
    private static func hash(_ name: String) -> Substring? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, isHex(parts[0], 2) else { return nil }
        let hash = parts[1].prefix(64), end = Array(parts[1].dropFirst(64).utf8)
        let isEnding =
            end.isEmpty
            || end.count == 4 && end[0] == 0x2E && end[1...].allSatisfy { (0x61...0x7A).contains($0) }
        return isHex(hash, 64) && isEnding ? hash : nil
    }

    private static func isPartial(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == ".partial" else { return false }
        return isHex(parts[1].prefix(64), 64) && ["", ".resume"].contains(parts[1].dropFirst(64))
    }

    private static func isHex(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private func files() -> [Violation] {
        let media = "\(folder.path)/media"
        var found: [Violation] = []
        for case let name as String in FileManager.default.enumerator(atPath: media) ?? .init() {
            var isFolder: ObjCBool = false
            let path = "\(media)/\(name)"
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue
            else { continue }
            if Self.isPartial(name) { continue }
            guard let hash = Self.hash(name) else {
                found.append(Violation(.serverDataIsUntrusted, "There is a file media/\(name)."))
                continue
            }
            let bytes = FileManager.default.contents(atPath: path) ?? Data()
            if SHA256.hash(data: bytes).hexadecimal != hash {
                found.append(
                    Violation(.filesAreIntact, "The content of media/\(name) doesn't match its name."))
            }
        }
        return found
    }
}
