/// What the works on a wall have in common: it names the wall for people who can't see it.
enum WallSubject: Sendable, Equatable {
    /// The name is `nil` on the show's own page, where it would be repeated.
    case show(name: String?)
    case album(name: String?)
    case artist(name: String)

    /// "The ten works of the album Highlights", "Nine of the ten works of the show", "Three works by Rembrandt van Rijn".
    /// - Parameters:
    ///   - hung: the number of works on the wall.
    ///   - total: the number of works of the show, album or artist.
    func phrase(hung: Int, total: Int) -> String {
        switch self {
        case .show(let name): Self.works(hung: hung, total: total) + " of the show" + Self.suffix(name)
        case .album(let name): Self.works(hung: hung, total: total) + " of the album" + Self.suffix(name)
        // An artist has made more works than a catalogue contains: never "the".
        case .artist(let name): CountText(hung).capitalized + " works by " + name
        }
    }

    /// "The ten works", "Nine of the ten works".
    static func works(hung: Int, total: Int) -> String {
        hung >= total
            ? "The \(CountText(hung).words) works"
            : "\(CountText(hung).capitalized) of the \(CountText(total).words) works"
    }

    private static func suffix(_ name: String?) -> String {
        guard let name, !name.isEmpty else { return "" }
        return " " + name
    }
}
