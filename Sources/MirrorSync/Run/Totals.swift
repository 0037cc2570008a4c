import Catalogue
import MirrorStore

/// How much there is in all: known from the server's statement or this mirror's own sizes before media start.
public struct Totals: Sendable, Hashable {
    /// Members of the partner's own lists, by kind; a kind comes in when its list has.
    public var objects: [String: Int] = [:]
    /// Bytes of pictures and documents that are still to come, with their margin; `nil` while nothing is known of it.
    ///
    /// What the server states (`/size`) less what is here; else as many artworks as are listed, with as many pictures
    /// each and as large as those that this mirror has, but no less than the pictures that it lacks.
    public var media: Estimate?
    /// Whether the server stated the size.
    public var isStated = false

    public init() {}

    init(_ state: SyncReport.State) {
        for (kind, count) in state.listed { objects[kind.name] = count }
        guard let history = state.history else { return }
        if let stated = state.statedSize {
            isStated = true
            media = Estimate(Double(max(0, stated - history.heldMedia)), margin: Double(stated) * 0.02)
        } else if let artworks = state.listed[.artwork], let each = history.picturesPerArtwork,
            let size = history.pictures.values.max(by: { $0.count < $1.count }), size.count >= 30
        {
            let all = Estimate.sum(of: Int(Double(artworks) * each), size)
            let rest = max(0, all.value - Double(history.heldMedia))
            // What is known to lack its bytes comes in any case: more pictures than there were of as many artworks.
            let lacking = state.expected.values.reduce(0) { $0 + $1.pictures }
            media = Estimate(max(rest, Double(lacking) * size.mean), margin: all.margin)
        }
    }
}
