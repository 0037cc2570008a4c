import Catalogue
import MirrorStore

/// Something that is wrong with a mirror, or in which it differs from its server.
public struct Finding: Sendable, Hashable {
    public enum What: String, Sendable, CaseIterable {
        /// SQLite says that the file is damaged.
        case database
        /// Rows refer to something that isn't there.
        case reference
        /// A list says something else than what is stored of it.
        case list
        /// An object's row lacks what it must have.
        case object
        /// The pictures of an object are not those that it names.
        case picture
        /// The search index lacks something, or has too much.
        case search
        /// A file isn't there.
        case missing
        /// A file has another length than it should.
        case length
        /// A file's bytes are others than they were.
        case digest
        /// A file can't be read.
        case unreadable
        /// A damaged copy of a file is kept, as no better one could be fetched.
        case damaged
        /// A file of which the mirror knows nothing.
        case stray
        /// A file that is kept though it should have gone, or is noted to go though it is needed.
        case released
        /// The server has another version.
        case changed
        /// The server has it, the mirror doesn't.
        case new
        /// The mirror has it, the server doesn't.
        case gone

        /// Whether it is about the server, and so no fault of the mirror's.
        public var isRemote: Bool { [.changed, .new, .gone].contains(self) }
    }

    public let what: What
    public private(set) var kind: String?
    public private(set) var id: String?
    /// Relative to the mirror's folder.
    public private(set) var path: String?
    /// The canonical URL on the server, relative to its base, where it is one that differs.
    public private(set) var url: String?
    /// One sentence for a person.
    public let message: String
}

// MARK: - Sentences

extension Finding {
    private init(_ what: What, _ owner: Owner, _ message: String) {
        self.init(what: what, kind: owner.kind.name, id: owner.id, message: message)
    }

    /// What the database contradicts itself in.
    init(_ defect: StoreDefect) {
        switch defect {
        case .damaged(let said): self.init(what: .database, message: "The database is damaged: \(said).")
        case .partMissing(let type, let name):
            self.init(what: .database, message: "The database lacks its \(type) \(name).")
        case .reference(let broken):
            let rows =
                broken.rows == 1
                ? "1 row of \(broken.table) refers" : "\(broken.rows) rows of \(broken.table) refer"
            let target = broken.target == "file" ? "a file" : Self.article(broken.target)
            self.init(
                what: .reference, kind: broken.target, id: broken.id,
                message: "\(rows) to \(target) that is not here.")
        case .listLength(let list, let said, let stored):
            self.init(
                what: .list, id: list,
                message: "This list has \(said) members, but \(stored) of them are stored.")
        case .ownerless(let list, let owner):
            let noun = Self.article(owner.kind.name)
            self.init(.list, owner, "The list \(list) belongs to \(noun) that is not here.")
        case .members(_, let owner, let name, let said, let stored):
            self.init(
                .list, owner, "Its list of \(Self.members(name)) has \(said), but \(stored) are stored.")
        case .absent(let kind, let id):
            self.init(.list, Owner(kind, id), "The server's list names it, but it is not here.")
        case .unlisted(let kind, let id):
            self.init(.list, Owner(kind, id), "It is here, but the server's list does not name it.")
        case .bodyless(let kind, let id):
            self.init(.object, Owner(kind, id), "What the server said of it is missing or broken.")
        case .unserved(let kind, let id):
            self.init(.object, Owner(kind, id), "It has no ETag, so it can't be served.")
        case .pictures(let artwork, let said, let stored):
            self.init(
                .picture, Owner(.artwork, artwork), "It names \(said) pictures, but \(stored) are stored.")
        case .pictureOfGhost(let owner, let image):
            self.init(.picture, owner, "The picture \(image) is stored of it, but it is not here itself.")
        case .lost(let owner, let file):
            self.init(.missing, owner, "The file of \(file) was broken, and has not been fetched again.")
        case .notIndexed(let kind, let id):
            self.init(.search, Owner(kind, id), "A search does not find it.")
        case .indexedInVain(let kind, let id):
            self.init(what: .search, kind: kind, id: id, message: "A search finds it, but it is not here.")
        case .indexDamaged: self.init(what: .search, message: "The search index contradicts itself.")
        case .releasedInUse(let file):
            self.init(
                what: .released, path: file.path,
                message: "It is noted as no longer needed, but something refers to it.")
        case .unnoticed(let file):
            self.init(
                what: .released, path: file.path,
                message: "Nothing refers to it, but it is not noted as no longer needed.")
        case .overdue(let file, let since):
            self.init(
                what: .released, path: file.path,
                message: "Nothing has referred to it since \(since.prefix(10)), which is more than 30 days.")
        }
    }

    /// A difference from the server, in an object or document, or in a list under an object.
    init(
        _ what: What, onServer kind: String?, _ id: String?, url: String? = nil, list: String? = nil
    ) {
        let message =
            switch (what, list.map(Self.members)) {
            case (.changed, let list?): "The server has another list of its \(list)."
            case (.new, let list?): "The server has a list of its \(list) that is not here."
            case (_, let list?): "The list of its \(list) is here, but the server does not have it."
            case (.changed, nil): "The server has another version of it."
            case (.new, nil): "The server has it, but it is not here."
            default: "It is here, but the server does not have it."
            }
        self.init(what: what, kind: kind, id: id, url: url, message: message)
    }

    /// - Parameter copy: where it is.
    static func damaged(_ damaged: DamagedFile, at copy: String) -> Finding {
        let use = damaged.uses.first
        let message =
            if !copy.hasPrefix(FileStore.damagedFolder + "/") {
                "This file is damaged. It stays until a better copy has been fetched."
            } else if use == nil {
                "This copy is damaged, and nothing needs the file any more. Delete it if you do not need it."
            } else {
                "The server has no better copy of this damaged file. It stays until one has been fetched, or you delete it."
            }
        return Finding(what: .damaged, kind: use?.kind, id: use?.id, path: copy, message: message)
    }

    private static func article(_ noun: String) -> String {
        "\("aeiou".contains(noun.prefix(1)) ? "an" : "a") \(noun)"
    }

    /// What a list is of, as people say it.
    private static func members(_ list: String) -> String {
        switch list {
        case ObjectList.installationShots.rawValue: "installation shots"
        case ObjectList.cover.rawValue: "covers"
        default: list
        }
    }
}

/// Passes findings on and counts them; none is kept.
final class FindingTally {
    private(set) var counts: [Finding.What: Int] = [:]
    private let report: (Finding) -> Void

    init(_ report: @escaping (Finding) -> Void) { self.report = report }

    func has(_ what: Finding.What) -> Bool { counts[what, default: 0] > 0 }

    func note(_ finding: Finding) {
        counts[finding.what, default: 0] += 1
        report(finding)
    }
}
