import Foundation
import MirrorStore

/// A home for mirrors in the system's temporary folder, removed when this value goes: no test touches a person's mirrors.
///
/// ```swift
/// let home = try TemporaryHome()
/// let folder = try home.mirror("moma")
/// ```
public final class TemporaryHome: Sendable {
    /// For whatever takes a home.
    public let home: MirrorHome
    package let folder: TemporaryFolder

    /// Makes the folder, which is empty and for this user alone.
    ///
    /// - Throws: an error of the file system.
    public init() throws {
        folder = try TemporaryFolder()
        home = MirrorHome(path: folder.path)
    }

    /// The folder's path: absolute, without a slash at its end.
    public var path: String { folder.path }

    /// The folder of a mirror in it, which need not exist.
    ///
    /// - Throws: as ``MirrorStore/MirrorHome/mirror(_:)``.
    public func mirror(_ name: String) throws -> MirrorFolder { try home.mirror(name) }
}
