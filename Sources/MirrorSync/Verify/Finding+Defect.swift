import MirrorStore

extension Finding {
    /// The sentence for what the database contradicts itself in.
    init(_ defect: StoreDefect) {
        switch defect {
        case .damaged(let said):
            self.init(.database, message: "The database is damaged: \(said).")
        case .partMissing(let type, let name):
            self.init(.database, message: "The database lacks its \(type) \(name).")
        case .reference(let broken):
            let rows =
                broken.rows == 1
                ? "1 row of \(broken.table) refers" : "\(broken.rows) rows of \(broken.table) refer"
            let target =
                broken.target == "file" ? "a file" : "\(Self.article(broken.target)) \(broken.target)"
            self.init(
                .reference, kind: broken.target, id: broken.id,
                message: "\(rows) to \(target) that is not here.")
        case .listLength(let list, let said, let stored):
            self.init(
                .list, id: list, message: "This list has \(said) members, but \(stored) of them are stored.")
        case .ownerless(let list, let owner):
            self.init(
                .list, kind: owner.kind.name, id: owner.id,
                message:
                    "The list \(list) belongs to \(Self.article(owner.kind.name)) \(owner.kind.name) that is not here."
            )
        case .members(_, let owner, let name, let said, let stored):
            self.init(
                .list, kind: owner.kind.name, id: owner.id,
                message: "Its list of \(Self.members(name)) has \(said), but \(stored) are stored.")
        case .absent(let kind, let id):
            self.init(
                .list, kind: kind.name, id: id, message: "The server's list names it, but it is not here."
            )
        case .unlisted(let kind, let id):
            self.init(
                .list, kind: kind.name, id: id,
                message: "It is here, but the server's list does not name it.")
        case .bodyless(let kind, let id):
            self.init(
                .object, kind: kind.name, id: id,
                message: "What the server said of it is missing or broken.")
        case .unserved(let kind, let id):
            self.init(.object, kind: kind.name, id: id, message: "It has no ETag, so it can't be served.")
        case .pictures(let artwork, let said, let stored):
            self.init(
                .picture, kind: "artwork", id: artwork,
                message: "It names \(said) pictures, but \(stored) are stored.")
        case .pictureOfGhost(let owner, let image):
            self.init(
                .picture, kind: owner.kind.name, id: owner.id,
                message: "The picture \(image) is stored of it, but it is not here itself.")
        case .lost(let owner, let file):
            self.init(
                .missing, kind: owner.kind.name, id: owner.id,
                message: "The file of \(file) was broken, and has not been fetched again.")
        case .notIndexed(let kind, let id):
            self.init(.search, kind: kind.name, id: id, message: "A search does not find it.")
        case .indexedInVain(let kind, let id):
            self.init(.search, kind: kind, id: id, message: "A search finds it, but it is not here.")
        case .indexDamaged:
            self.init(.search, message: "The search index contradicts itself.")
        case .releasedInUse(let file):
            self.init(
                .released, path: file.path,
                message: "It is noted as no longer needed, but something refers to it.")
        case .unnoticed(let file):
            self.init(
                .released, path: file.path,
                message: "Nothing refers to it, but it is not noted as no longer needed.")
        case .overdue(let file, let since):
            self.init(
                .released, path: file.path,
                message: "Nothing has referred to it since \(since.prefix(10)), which is more than 30 days.")
        }
    }

    /// - Parameter copy: where it is.
    static func damaged(_ damaged: DamagedFile, at copy: String) -> Finding {
        let use = damaged.uses.first
        func finding(_ message: String) -> Finding {
            Finding(.damaged, kind: use?.kind, id: use?.id, path: copy, message: message)
        }
        guard copy.hasPrefix(FileStore.damagedFolder + "/") else {
            return finding("This file is damaged. It stays until a better copy has been fetched.")
        }
        return finding(
            use == nil
                ? "This copy is damaged, and nothing needs the file any more. Delete it if you do not need it."
                : "The server has no better copy of this damaged file. It stays until one has been fetched, or you delete it."
        )
    }

    static func unknownDamaged(at path: String) -> Finding {
        Finding(
            .damaged, path: path,
            message: "The mirror does not know whose copy this was. Delete it if you do not need it.")
    }

    private static func article(_ noun: String) -> String { "aeiou".contains(noun.prefix(1)) ? "an" : "a" }

    /// What a list is of, as people say it.
    static func members(_ list: String) -> String {
        switch list {
        case "images?default=0": "installation shots"
        case "images?default=1": "covers"
        default: list
        }
    }
}
