import ArgumentParser
import Catalogue
import MirrorStore

/// A kind of object as a person writes it: `artwork` or `artworks`.
struct KindArgument: ExpressibleByArgument {
    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }

    init?(argument: String) {
        let word = argument.lowercased()
        guard let kind = Kinds.standard[word] ?? Kinds.standard[String(word.dropLast())],
            word == kind.name || word == kind.plural
        else { return nil }
        self.kind = kind
    }

    static let allValueStrings = Kinds.standard.all.map(\.name)
}
