import ContentHash
import Foundation
import MirrorStore

/// Invariants 5 and 12, of the files: what has its final name is whole, and no name is the server's.
struct FolderCheck {
    let folder: MirrorFolder
    /// Whether there may be pictures.
    let hasMedia: Bool

    /// What SQLite keeps beside its files.
    private static let beside = Set(
        ["mirror.sqlite", "cache.sqlite"].flatMap { name in ["-wal", "-shm", "-journal"].map { name + $0 } })

    func violations() -> [Violation] {
        let manager = FileManager.default
        var found: [Violation] = []
        let own: Set = ["mirror.sqlite", "cache.sqlite", "media", "lock", "watch.lock"]
        for name in (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
        where !own.contains(name) && !Self.beside.contains(name) {
            found.append(Violation(.nothingIsTrusted, "There is a file \(name) in the mirror's folder."))
        }
        let beside = URL(filePath: folder.path).deletingLastPathComponent().path
        for name in (try? manager.contentsOfDirectory(atPath: beside)) ?? [] where name != folder.name {
            found.append(Violation(.nothingIsTrusted, "There is a file \(name) beside the mirror's folder."))
        }
        return hasMedia ? found + files() : found
    }

    private func files() -> [Violation] {
        let media = "\(folder.path)/media"
        var found: [Violation] = []
        for case let name as String in FileManager.default.enumerator(atPath: media) ?? .init() {
            var isFolder: ObjCBool = false
            let path = "\(media)/\(name)"
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue
            else { continue }
            if name.wholeMatch(of: #/\.partial/[0-9a-f]{64}(\.resume)?/#) != nil { continue }
            guard let match = name.wholeMatch(of: #/[0-9a-f]{2}/([0-9a-f]{64})(\.[a-z]{3})?/#) else {
                found.append(Violation(.nothingIsTrusted, "There is a file media/\(name)."))
                continue
            }
            let bytes = FileManager.default.contents(atPath: path) ?? Data()
            if SHA256Hasher.hash(of: Array(bytes)).hex != match.output.1 {
                found.append(Violation(.filesAreWhole, "media/\(name) has other bytes than its name says."))
            }
        }
        return found
    }
}
