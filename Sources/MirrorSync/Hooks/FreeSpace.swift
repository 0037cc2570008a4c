import Foundation
import MirrorStore

/// Checks whether a disk has enough free space for a run.
public struct FreeSpace: Sendable {
    let free: @Sendable (_ path: String) -> Int64?

    /// - Parameter free: returns the free bytes on the disk that holds a path; `nil` if that is unknown, and nothing is checked.
    public init(free: @escaping @Sendable (_ path: String) -> Int64?) { self.free = free }

    /// Asks the file system.
    public static let system = FreeSpace { path in
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }

    /// Checks nothing; for runs that store nothing.
    static let unlimited = FreeSpace { _ in nil }

    /// Bytes that must stay free: 16 MiB, enough for a transaction's write-ahead log and some pictures.
    static let least: Int64 = 16 << 20

    /// Checks the minimum, which a database needs even to delete rows.
    ///
    /// - Throws: ``StoreError/Code/diskFull`` if less is free.
    func checkMinimum(at path: String) throws {
        guard let free = free(path), free < Self.least else { return }
        throw StoreError(
            .diskFull,
            "The disk that holds \(path) has only \(free >> 20) MiB left. Free some space and run the command again."
        )
    }

    /// Checks whether a download fits, and leaves the minimum free.
    ///
    /// - Parameter bytes: the size of the pictures and documents that have to be fetched.
    /// - Throws: ``StoreError/Code/diskFull`` if they don't fit.
    func check(_ bytes: Int64, at path: String) throws {
        guard bytes > 0, let free = free(path), free - Self.least < bytes else { return }
        throw StoreError(
            .diskFull,
            "Pictures and documents of \(Self.size(bytes)) have to be fetched, but the disk that holds \(path) has only \(Self.size(free)) left. Free some space, or leave them out with --no-media."
        )
    }

    /// A size in decimal units, such as `812 kB` or `23.4 MB`.
    private static func size(_ bytes: Int64) -> String {
        var value = Double(bytes) / 1_000, unit = "kB"
        for larger in ["MB", "GB", "TB"] where value >= 999.5 { (value, unit) = (value / 1_000, larger) }
        let tenths = Int((value * 10).rounded())
        return unit == "kB" ? "\(Int(value.rounded(.up))) kB" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
