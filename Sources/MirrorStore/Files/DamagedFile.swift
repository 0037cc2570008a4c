import Catalogue
import Foundation

/// The use of a file: a picture in one format, or a document.
package struct FileUse: Sendable, Hashable {
    package let owner: Owner
    /// The raw value of an ``ImageRole``, or `document`.
    package let role: String
    /// The id of the picture or document.
    package let id: String
    /// The format of a picture or tile; `nil` for a document.
    package let format: String?

    package static func image(_ id: String, format: String, role: ImageRole, of owner: Owner) -> FileUse {
        FileUse(owner: owner, role: role.rawValue, id: id, format: format)
    }

    package var isPicture: Bool { role != "document" }

    package static func document(_ id: String, of owner: Owner) -> FileUse {
        FileUse(owner: owner, role: "document", id: id, format: nil)
    }

    /// The kind that the findings of `mirror verify` show: `document`, `image` or ``ImageTile/kind``.
    package var kind: String {
        guard let format else { return "document" }
        return ImageTile(format: format) == nil ? "image" : ImageTile.kind
    }
}

/// A file whose bytes don't match its digest. It is kept, because no other copy may exist.
///
/// 1. A repair marks it (``CatalogueStore/markDamaged(_:)``), and marks the pictures and documents that use it as never fetched.
/// 2. The next sync requests them. Until the server answers, the damaged copy stays where it is.
/// 3. The end of each run decides (``CatalogueStore/settleDamaged(in:)``). If an intact file is stored for every use, the copy is
///    removed. If the server has no intact file, or no run requests it any more, the copy is moved to `media/damaged`. There
///    it stays until the server has an intact file or somebody deletes the copy.
///
/// A copy is moved only by renaming, and rows change only afterwards, so a crash at any time leaves the copy.
package struct DamagedFile: Sendable, Hashable {
    /// The state of one picture or document that used the file.
    package enum State: Sendable, Hashable {
        /// The file has not been requested yet, or the server could not answer.
        case wanted
        /// The server has no intact file, or no run requests it any more.
        case refused
        /// Another file is stored for this use.
        case replaced(StoredFile)
    }

    /// Where the damaged copy belongs: where it was found, in `media/damaged`, or nowhere.
    package enum Fate: Sendable, Hashable {
        case stays, isSetAside, goes
    }

    /// The size, digest and type that the intact file has, and the path at which the damaged copy was found.
    package let file: StoredFile
    package private(set) var uses: [FileUse] = []
    /// The state of each of ``uses``, in the same order.
    package private(set) var states: [State] = []
    /// The intact file with the same digest; `nil` if it is not stored again.
    package var twin: StoredFile?

    mutating func add(_ use: FileUse, _ state: State) {
        uses.append(use)
        states.append(state)
    }

    package var fate: Fate {
        if twin != nil { return .goes }
        if states.contains(.wanted) { return .stays }
        return states.isEmpty || states.contains(.refused) ? .isSetAside : .goes
    }

    /// The intact files that must exist before the damaged copy is removed.
    package var replacements: [StoredFile] {
        twin.map { [$0] } ?? states.compactMap { if case .replaced(let file) = $0 { file } else { nil } }
    }
}

/// Finds, moves and removes damaged copies of files.
extension FileStore {
    /// The folder for damaged copies that the server can't replace, relative to the mirror's folder.
    package static let damagedFolder = "media/damaged"

    /// The sorted paths of the files in `media/damaged`, relative to the mirror's folder, by the digest in their names.
    package func setAsideFiles() throws -> [String: [String]] {
        let damagedFolder = "\(folder)/\(Self.damagedFolder)"
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: damagedFolder).sorted()
            return Dictionary(grouping: names) { String($0.prefix(64)) }
                .mapValues { $0.map { "\(Self.damagedFolder)/\($0)" } }
        } catch let error as CocoaError
            where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
        {
            return [:]
        } catch {
            throw StoreError(
                .readOnly, "\(damagedFolder) can't be read. Check its permissions.",
                cause: error.localizedDescription)
        }
    }

    /// The paths of a damaged file's existing copies: the one where it was found, and those in `media/damaged`.
    ///
    /// - Parameter setAside: the files in `media/damaged` (``setAsideFiles()``).
    package func copies(of damaged: DamagedFile, among setAside: [String: [String]])
        -> (inPlace: String?, aside: [String])
    {
        // If the intact file has the same path, the file there is the intact one, not the damaged copy.
        let path = damaged.file.path,
            isInPlace = damaged.twin?.path != path && exists("\(folder)/\(path)")
        return (isInPlace ? path : nil, setAside[damaged.file.hash] ?? [])
    }

    /// Moves a damaged copy to `media/damaged`, under a new name if one of that name is there. The move is synced to the disk.
    func setAside(_ relative: String) throws {
        let directory = "\(folder)/\(Self.damagedFolder)", name = (relative as NSString).lastPathComponent
        try makeFolder(directory)
        var target = "\(directory)/\(name)", number = 2
        while exists(target) {
            target = "\(directory)/\(name)-\(number)"
            number += 1
        }
        guard rename("\(folder)/\(relative)", target) == 0 else { throw failure("\(folder)/\(relative)") }
        try sync(directory)
    }

    /// Removes a damaged copy. It is not an error if it doesn't exist.
    func removeDamaged(_ relative: String) throws {
        guard unlink("\(folder)/\(relative)") == 0 || errno == ENOENT else {
            throw failure("\(folder)/\(relative)")
        }
    }

    private func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
