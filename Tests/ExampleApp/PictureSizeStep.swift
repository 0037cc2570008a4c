import MirrorStore
import MirrorSync
import OperationTree

/// A node under `image`: notes the size of each picture that a sync brings.
struct PictureSizeStep<Environment: Sendable>: Step {
    let sizes: PictureSizes

    /// The same bytes have the same size, wherever they hang.
    func identity(of picture: StoredPicture) -> String { picture.file?.hash ?? "" }

    func perform(_ picture: StoredPicture, in context: StepContext<Environment>) async throws -> [Never] {
        guard let file = picture.file, let path = picture.path else { return [] }
        try sizes.add(file, at: path)
        return []
    }
}
