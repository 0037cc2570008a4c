import MirrorStore
import MirrorSync
import OperationTree

/// A node under `image` that stores the size of each picture that a sync downloads.
///
/// It is generic over the environment because it doesn't use it. A test can therefore run the step without a sync.
struct PictureSizeStep<Environment: Sendable>: Step {
    let sizes: PictureSizes

    /// Pictures with equal identities are processed once per run. The hash identifies the bytes, which several images may share.
    func identity(of picture: StoredPicture) -> String { picture.file?.hash ?? "" }

    /// Stores the picture's size. The step has no children, so it returns no items for them.
    ///
    /// - Throws: an error of this picture. The sync tries the picture again at its end, then reports it as a problem.
    func perform(_ picture: StoredPicture, in context: StepContext<Environment>) async throws -> [Never] {
        // Both are always set, except with the option `tiles`.
        guard let file = picture.file, let path = picture.path else { return [] }
        try sizes.add(file, at: path)
        return []
    }
}
