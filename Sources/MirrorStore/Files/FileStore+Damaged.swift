import Foundation

/// Copies of files that are damaged: where they are, and how they are moved.
extension FileStore {
    /// Where copies are kept for which the server has nothing better.
    package static let damagedFolder = "media/damaged"

    /// The digits of the digest that begins the name of a file of the mirror's.
    private static let digits = 64

    /// What is in `media/damaged`, by the digest that each file's name begins with: paths relative to the mirror's folder, in
    /// order.
    package func setAsideFiles() throws -> [String: [String]] {
        let place = "\(folder)/\(Self.damagedFolder)"
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: place).sorted()
            return Dictionary(grouping: names) { String($0.prefix(Self.digits)) }
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

    /// The paths of the copies of a damaged file that exist.
    package struct DamagedCopies {
        /// The one where the file was found.
        package let inPlace: String?
        /// Those in `media/damaged`.
        package let aside: [String]
        package var all: [String] { (inPlace.map { [$0] } ?? []) + aside }
    }

    /// - Parameter setAside: what is in `media/damaged` (``setAsideFiles()``).
    package func copies(of damaged: DamagedFile, among setAside: [String: [String]]) -> DamagedCopies {
        // What has the path of the intact file is that file.
        let isInPlace = damaged.twin?.path != damaged.file.path && isThere(damaged.file.path)
        return DamagedCopies(
            inPlace: isInPlace ? damaged.file.path : nil, aside: setAside[damaged.file.hash] ?? [])
    }

    /// Moves a damaged copy to `media/damaged`, beside what is there. The move is on the disk when this returns.
    func setAside(_ relative: String) throws {
        let directory = "\(folder)/\(Self.damagedFolder)"
        try makeFolder(directory)
        let name = relative.split(separator: "/").last.map(String.init) ?? relative
        var target = "\(directory)/\(name)", number = 2
        while isThere(path: target) {
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

    private func isThere(_ relative: String) -> Bool { isThere(path: "\(folder)/\(relative)") }

    private func isThere(path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
