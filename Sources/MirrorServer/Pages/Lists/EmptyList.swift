import Catalogue
import MirrorStore

/// What a list without any entry says.
enum EmptyList {
    /// Lists and searches are read from an index that the end of a sync makes.
    static let beforeIndex = "Lists and searches are made at the end of the first sync."

    /// Whether the mirror has no index yet, because its first sync hasn't ended.
    static func isBeforeIndex(_ context: PageContext) throws -> Bool {
        try context.frame.asOf == nil && context.store.isIndexBehind()
    }

    /// The sentence for a list of all objects of a kind.
    static func text(_ kind: Kind, _ context: PageContext) throws -> String {
        try isBeforeIndex(context) ? beforeIndex : "No \(kind.name) is here."
    }
}
