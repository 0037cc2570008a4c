import Catalogue
import Foundation

/// What a file was fetched for: one picture in one format, or one document.
package struct FileUse: Sendable, Hashable {
    package let owner: Owner
    /// What it is to its owner: an ``ImageRole``, or `document`.
    package let role: String
    /// The picture or document.
    package let id: String
    /// Of a picture.
    package let format: String?

    package static func image(_ id: String, format: String, role: ImageRole, of owner: Owner) -> FileUse {
        FileUse(owner: owner, role: role.rawValue, id: id, format: format)
    }

    package var isPicture: Bool { role != "document" }

    package static func document(_ id: String, of owner: Owner) -> FileUse {
        FileUse(owner: owner, role: "document", id: id, format: nil)
    }

    /// As findings have it.
    package var kind: String {
        guard let format else { return "document" }
        return ImageTile(format: format) == nil ? "image" : ImageTile.kind
    }
}

/// A copy of a file whose bytes are not those that its digest names. It is kept: it may be the last.
///
/// A repair marks it (``CatalogueStore/markDamaged(_:)``), and the pictures and documents that had it count as never fetched;
/// a sync then requests them. Until the server has answered, the copy stays in place. The end of each run decides
/// (``CatalogueStore/settleDamaged(in:)``): the copy is removed once a better file is stored for everything that had it. If the
/// server has none, or no run requests it any more, the copy is moved to `media/damaged`, and stays there until the server has
/// one or the copy is deleted by hand.
///
/// Only a rename moves it, and rows change only after it, so that a crash at any instant leaves a copy.
package struct DamagedFile: Sendable, Hashable {
    /// The state of one picture or document that had the file.
    package enum State: Sendable, Hashable {
        /// The server has not been asked, or could not answer.
        case wanted
        /// The server has no better copy, or no run requests one any more.
        case refused
        /// A file is stored for it.
        case replaced(StoredFile)
    }

    package enum Fate: Sendable, Hashable {
        case stays, isSetAside, goes
    }

    /// As it should be; the path is where the copy was found.
    package let file: StoredFile
    package private(set) var uses: [FileUse] = []
    /// Of each use; of a file that nothing had there is none.
    package private(set) var states: [State] = []
    /// The intact file with the same digest, if it is stored again.
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

    /// The files for which the copy may go.
    package var replacements: [StoredFile] {
        twin.map { [$0] } ?? states.compactMap { if case .replaced(let file) = $0 { file } else { nil } }
    }
}

/// Copies of files that are damaged: where they are, and how they are moved.
extension FileStore {
    /// Where copies are kept for which the server has nothing better.
    package static let damagedFolder = "media/damaged"

    /// What is in `media/damaged`, by the digest that each file's name begins with: paths relative to the mirror's folder, in
    /// order.
    package func setAsideFiles() throws -> [String: [String]] {
        let place = "\(folder)/\(Self.damagedFolder)"
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: place).sorted()
            return Dictionary(grouping: names) { String($0.prefix(64)) }
                .mapValues { $0.map { "\(Self.damagedFolder)/\($0)" } }
        } catch let error as CocoaError
            where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
        {
            return [:]
        } catch {
            throw StoreError(
                .readOnly, "\(place) can't be read. Check its permissions.",
                cause: error.localizedDescription)
        }
    }

    /// The paths of the copies of a damaged file that exist: where the file was found, and in `media/damaged`.
    ///
    /// - Parameter setAside: what is in `media/damaged` (``setAsideFiles()``).
    package func copies(of damaged: DamagedFile, among setAside: [String: [String]])
        -> (inPlace: String?, aside: [String])
    {
        // What has the path of the intact file is that file.
        let place = damaged.file.path,
            isInPlace = damaged.twin?.path != place && isThere("\(folder)/\(place)")
        return (isInPlace ? place : nil, setAside[damaged.file.hash] ?? [])
    }

    /// Moves a damaged copy to `media/damaged`, beside what is there. The move is on the disk when this returns.
    func setAside(_ relative: String) throws {
        let directory = "\(folder)/\(Self.damagedFolder)", name = (relative as NSString).lastPathComponent
        try makeFolder(directory)
        var target = "\(directory)/\(name)", number = 2
        while isThere(target) {
            target = "\(directory)/\(name)-\(number)"
            number += 1
        }
        guard rename("\(folder)/\(relative)", target) == 0 else { throw failure("\(folder)/\(relative)") }
        try sync(directory)
    }

    /// Removes a damaged copy for which a better one is stored.
    func removeDamaged(_ relative: String) throws {
        guard unlink("\(folder)/\(relative)") == 0 || errno == ENOENT else {
            throw failure("\(folder)/\(relative)")
        }
    }

    private func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
