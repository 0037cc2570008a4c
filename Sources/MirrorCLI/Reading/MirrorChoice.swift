import MirrorStore

/// Decides which mirror is meant where none, or one, is named.
struct MirrorChoice {
    let home: MirrorHome

    func folder(_ name: String?) throws -> MirrorFolder {
        try home.mirror(try Self.name(name, of: home.names(), in: home.path))
    }

    static func name(_ name: String?, of names: [String], in path: String) throws -> String {
        if let name { return name }
        switch names.count {
        case 0:
            throw CommandError(
                .noMirror, "There is no mirror in \(path) yet. Make one with: mirror sync demo")
        case 1: return names[0]
        default:
            throw CommandError(
                .severalMirrors,
                "There are several mirrors: \(Wording.list(names)). Say which one is meant.")
        }
    }
}
