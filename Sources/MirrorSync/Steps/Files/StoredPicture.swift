import Catalogue
import MirrorStore

/// A picture whose file this run stored: the output of the node `image`.
///
/// The file is complete and has its final name. Its row is committed together with others, perhaps a moment later. A file
/// that was stored by an earlier run isn't output. If a run stops after it has stored a file, and before the row is committed,
/// the next run outputs the picture again.
public struct StoredPicture: Sendable {
    /// The artwork or show that it belongs to.
    public let owner: Owner
    /// The picture's id, unique among those of its owner.
    public let image: String
    /// The name of the format, such as `larger`.
    public let format: String
    /// Hash, size in bytes and media type; its path is relative to the mirror's folder. With the option `tiles`, it is `nil` for
    /// a picture that is output only because its tiles have to be fetched.
    public let file: StoredFile?
    /// The absolute path of ``file``; `nil` without one.
    public let path: String?
    /// The picture, if its tiles have to be fetched.
    let tiled: TiledPicture?

    /// Makes a picture to pass to a step directly, as tests do.
    ///
    /// - Parameters:
    ///   - owner: the artwork or show that it belongs to.
    ///   - image: the picture's id, unique among those of its owner.
    ///   - format: the name of the format, such as `larger`.
    ///   - file: the stored file, if any.
    ///   - path: the absolute path of the file.
    public init(owner: Owner, image: String, format: String, file: StoredFile?, path: String?) {
        (self.owner, self.image, self.format, self.file, self.path) = (owner, image, format, file, path)
        tiled = nil
    }

    init(_ item: ImageStep.Item, _ file: StoredFile?, in files: FileStore) {
        (owner, image, format, self.file) = (item.owner, item.image.id, item.format, file)
        path = file.map { "\(files.folder)/\($0.path)" }
        tiled = item.hasTiles ? TiledPicture(owner: item.owner, role: item.role, image: item.image) : nil
    }
}
