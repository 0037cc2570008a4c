import Catalogue
import MirrorStore

/// A picture whose file this run stored: what the node `image` puts out.
///
/// The file has its final name and is complete. Its row is committed with others, perhaps a moment later. A file that the
/// mirror has already is not put out, and a run that is stopped between file and row puts it out again.
public struct StoredPicture: Sendable {
    /// The artwork or show that it belongs to.
    public let owner: Owner
    /// The picture's id, unique among those of its owner.
    public let image: String
    /// Which of the offered versions it is, such as `larger`.
    public let format: String
    /// Hash, size in bytes and media type; its path is relative to the mirror's folder. `nil`, with the option `tiles` alone, for
    /// a picture that is put out because its tiles are to be fetched.
    public let file: StoredFile?
    /// Where ``file`` is, absolute.
    public let path: String?
    /// The picture, if its tiles are to be fetched.
    let tiled: TiledPicture?

    /// A picture to hand to a step directly, as tests do.
    ///
    /// - Parameter path: where the file is, absolute.
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
