import Catalogue
import MirrorStore

extension DigestNames {
    /// The canonical URLs of the API.
    init(_ router: Router) {
        self.init(
            object: { router.url(of: .object($0.kind, id: $0.id)) },
            document: { router.url(of: .document($0, id: $1)) },
            list: { owner, name in ObjectList(rawValue: name).flatMap { router.url(of: .list(owner, $0)) } })
    }
}
