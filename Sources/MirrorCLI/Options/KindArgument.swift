import ArgumentParser
import MirrorStore

/// A kind of object as a person writes it: `artwork` or `artworks`.
struct KindArgument: ExpressibleByArgument {
    let kind: ObjectKind

    init(_ kind: ObjectKind) { self.kind = kind }

    init?(argument: String) {
        let word = argument.lowercased()
        guard let kind = ObjectKind(rawValue: word) ?? ObjectKind(rawValue: String(word.dropLast())),
            word == kind.rawValue || word == kind.plural
        else { return nil }
        self.kind = kind
    }

    static let allValueStrings = ObjectKind.allCases.map(\.rawValue)
}
