import Foundation
import MirrorStore

/// A home for mirrors in the system's temporary folder. It is removed when this object is released.
///
/// With it, a test doesn't change the mirrors in the real home folder.
///
/// ```swift
/// let home = try TemporaryHome()
/// let folder = try home.mirror("moma")
/// ```
public final class TemporaryHome: Sendable {
    /// The home, to be passed to code that needs one.
    public let home: MirrorHome
    package let folder: TemporaryFolder

    /// Creates an empty folder that only this user can access.
    ///
    /// - Throws: An error of the file system.
    public init() throws {
        folder = try TemporaryFolder()
        home = MirrorHome(path: folder.path)
    }

    /// The absolute path of the folder, without a trailing slash.
    public var path: String { folder.path }

    /// The folder of a mirror in this home. It need not exist.
    ///
    /// - Throws: The errors of ``MirrorStore/MirrorHome/mirror(_:)``.
    public func mirror(_ name: String) throws -> MirrorFolder { try home.mirror(name) }
}
