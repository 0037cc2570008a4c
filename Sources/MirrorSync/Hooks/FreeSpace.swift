import Foundation
import MirrorStore

/// How much room a disk has, and whether what is to come fits.
public struct FreeSpace: Sendable {
    let free: @Sendable (_ path: String) -> Int64?

    /// - Parameter free: bytes that are free on the disk of a path; `nil` where that can't be known.
    public init(free: @escaping @Sendable (_ path: String) -> Int64?) { self.free = free }

    /// What the file system says.
    public static let system = FreeSpace { path in
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }

    /// One that is never short of room, for runs that store nothing.
    static let unlimited = FreeSpace { _ in nil }

    /// 16 MiB: enough for the write-ahead log of a transaction and some pictures.
    static let least: Int64 = 16 << 20

    /// - Throws: ``StoreError/Code/diskFull`` if the disk is all but full: a database needs room even to shrink.
    func checkLeast(at path: String) throws {
        guard let free = free(path), free < Self.least else { return }
        throw StoreError(
            .diskFull,
            "The disk that holds \(path) has only \(free >> 20) MiB left. Free some space and run the command again."
        )
    }

    /// - Parameter bytes: of pictures and documents that are still to be fetched.
    /// - Throws: ``StoreError/Code/diskFull`` if they don't fit.
    func check(_ bytes: Int64, at path: String) throws {
        guard bytes > 0, let free = free(path), free - Self.least < bytes else { return }
        throw StoreError(
            .diskFull,
            "Pictures and documents of \(Self.size(bytes)) are to come, but the disk that holds \(path) has only \(Self.size(free)) left. Free some space, or leave them out with --no-media."
        )
    }

    /// `812 kB`, `23.4 MB`
    private static func size(_ bytes: Int64) -> String {
        var value = Double(bytes) / 1_000, unit = "kB"
        for larger in ["MB", "GB", "TB"] where value >= 999.5 { (value, unit) = (value / 1_000, larger) }
        let tenths = Int((value * 10).rounded())
        return unit == "kB" ? "\(Int(value.rounded(.up))) kB" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
