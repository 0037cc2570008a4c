/// The kinds that a mirror holds, each before those that refer to it.
public struct Kinds: Sendable {
    /// All kinds, in the order in which they are stored.
    public let all: [Kind]
    /// Those that a partner lists.
    public let listed: [Kind]
    private let byName: [String: Kind]

    public init(_ all: [Kind]) {
        self.all = all
        listed = all.filter(\.isListed)
        byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    }

    /// The kind of that name, if there is one.
    public subscript(_ name: String) -> Kind? { byName[name] }

    /// The kind whose objects are read as a type: `.artwork` for `Artwork.self`.
    public func kind(of type: any Payload.Type) -> Kind? { all.first { $0.type == type } }

    /// Those that stand for themselves, each with a table whose key is its id.
    package var objects: [Kind] { all.filter { !$0.isPart } }

    /// The built-in kinds.
    public static let standard = Kinds([
        .partner, .user, .location, .artist, .artwork, .album, .show, .document,
    ])
}
