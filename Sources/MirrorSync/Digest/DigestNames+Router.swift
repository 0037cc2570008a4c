import Catalogue
import MirrorStore

extension DigestNames {
    /// The canonical URLs of the API.
    init(_ router: Router) {
        self.init(
            object: { router.canonicalURL(kind: $0.kind.rawValue, id: $0.id) },
            document: { router.canonicalURL(document: $1, of: $0.kind.rawValue, $0.id) },
            list: { router.canonicalURL(list: $1, of: $0.kind.rawValue, $0.id) })
    }
}
