import Catalogue
import MirrorStore

/// How fresh and complete a mirror is, in words that are true.
struct MirrorState {
    /// The strips above every page.
    let notices: [PageFrame.Notice]

    init(_ store: CatalogueStore, now: Timestamp) throws {
        notices = []
    }
}
