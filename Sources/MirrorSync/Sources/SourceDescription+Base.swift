import CatalogueSources
import MirrorHTTP

extension SourceDescription {
    /// The description with another base, such as that of a test server or a proxy.
    ///
    /// - Returns: `nil` if the address isn't an `http` or `https` address without a query, a fragment and credentials.
    package func moved(to base: String) -> SourceDescription? {
        guard !base.contains(where: { "?#{}".contains($0) }), let address = WebAddress(base) else {
            return nil
        }
        var moved = self
        var text = address.text
        while text.hasSuffix("/") { text.removeLast() }
        moved.base = text
        return moved
    }
}
