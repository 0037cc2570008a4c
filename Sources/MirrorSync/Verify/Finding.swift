import Catalogue
import MirrorStore

/// A defect of a mirror, or a difference between a mirror and its server.
public struct Finding: Sendable, Hashable {
    /// The sort of defect or difference.
    public enum What: String, Sendable, CaseIterable {
        /// SQLite reports that the database file is damaged.
        case database
        /// Rows refer to something that isn't stored.
        case reference
        /// A list's own row contradicts its stored members.
        case list
        /// An object's row lacks a required value.
        case object
        /// The stored pictures of an object are not those that its JSON names.
        case picture
        /// The search index lacks an object, or contains one that isn't stored.
        case search
        /// A file is missing.
        case missing
        /// A file doesn't have its expected length.
        case length
        /// A file doesn't have its expected digest.
        case digest
        /// A file can't be read.
        case unreadable
        /// A damaged copy of a file is kept, since no intact one could be fetched.
        case damaged
        /// A file that the mirror doesn't refer to.
        case stray
        /// An unneeded file that isn't marked for removal or is overdue for it, or a needed one that is marked.
        case released
        /// The server has another version.
        case changed
        /// The server has it, the mirror doesn't.
        case new
        /// The mirror has it, the server doesn't.
        case gone

        /// Whether it is a difference from the server, and not a defect of the mirror.
        public var isRemote: Bool { [.changed, .new, .gone].contains(self) }
    }

    /// The sort of defect or difference.
    public let what: What
    /// The name of the kind of the affected object; `nil` if there is none.
    public private(set) var kind: String?
    /// The id of the affected object, or the URL of the affected list; `nil` if there is none.
    public private(set) var id: String?
    /// The path of the affected file, relative to the mirror's folder; `nil` if there is none.
    public private(set) var path: String?
    /// The canonical URL whose answer differs, relative to the server's base; `nil` if there is none.
    public private(set) var url: String?
    /// One sentence for people.
    public let message: String
}

// MARK: - Messages

extension Finding {
    private init(_ what: What, _ owner: Owner, _ message: String) {
        self.init(what: what, kind: owner.kind.name, id: owner.id, message: message)
    }

    /// Creates the finding for a defect of the database.
    init(_ defect: StoreDefect) {
        switch defect {
        case .damaged(let cause): self.init(what: .database, message: "The database is damaged: \(cause).")
        case .partMissing(let type, let name):
            self.init(what: .database, message: "The database lacks its \(type) \(name).")
        case .reference(let broken):
            let rows =
                broken.rows == 1
                ? "1 row of \(broken.table) refers" : "\(broken.rows) rows of \(broken.table) refer"
            let target = broken.target == "file" ? "a file" : Self.article(broken.target)
            self.init(
                what: .reference, kind: broken.target, id: broken.id,
                message: "\(rows) to \(target) that is not stored.")
        case .listLength(let list, let expected, let stored):
            self.init(
                what: .list, id: list,
                message: "This list has \(expected) members, but \(stored) of them are stored.")
        case .ownerless(let list, let owner):
            let noun = Self.article(owner.kind.name)
            self.init(.list, owner, "The list \(list) belongs to \(noun) that is not stored.")
        case .members(_, let owner, let name, let expected, let stored):
            self.init(
                .list, owner, "Its list of \(Self.members(name)) has \(expected), but \(stored) are stored.")
        case .absent(let kind, let id):
            self.init(.list, Owner(kind, id), "The server's list names it, but it is not stored.")
        case .unlisted(let kind, let id):
            self.init(.list, Owner(kind, id), "It is stored, but the server's list does not name it.")
        case .withoutBody(let kind, let id):
            self.init(.object, Owner(kind, id), "Its JSON is missing or broken.")
        case .unserved(let kind, let id):
            self.init(.object, Owner(kind, id), "It has no ETag, so it can't be served.")
        case .pictures(let artwork, let expected, let stored):
            self.init(
                .picture, Owner(.artwork, artwork),
                "It names \(expected) pictures, but \(stored) are stored.")
        case .pictureOfGhost(let owner, let image):
            self.init(.picture, owner, "Its picture \(image) is stored, but it itself is not.")
        case .lost(let owner, let file):
            self.init(.missing, owner, "The file of \(file) was broken, and has not been fetched again.")
        case .notIndexed(let kind, let id):
            self.init(.search, Owner(kind, id), "It is not in the search index.")
        case .staleIndexEntry(let kind, let id):
            self.init(
                what: .search, kind: kind, id: id, message: "It is in the search index, but it is not stored."
            )
        case .indexDamaged: self.init(what: .search, message: "The search index is damaged.")
        case .releasedInUse(let file):
            self.init(
                what: .released, path: file.path,
                message: "It is marked as no longer needed, but something refers to it.")
        case .untracked(let file):
            self.init(
                what: .released, path: file.path,
                message: "Nothing refers to it, but it is not marked as no longer needed.")
        case .overdue(let file, let since):
            self.init(
                what: .released, path: file.path,
                message: "Nothing has referred to it since \(since.prefix(10)), which is more than 30 days.")
        }
    }

    /// Creates the finding for a difference from the server, in an object or document, or in a list under an object.
    init(
        _ what: What, onServer kind: String?, _ id: String?, url: String? = nil, list: String? = nil
    ) {
        let message =
            switch (what, list.map(Self.members)) {
            case (.changed, let list?): "The server has another list of its \(list)."
            case (.new, let list?): "The server has a list of its \(list) that is not stored."
            case (_, let list?): "The list of its \(list) is stored, but the server does not have it."
            case (.changed, nil): "The server has another version of it."
            case (.new, nil): "The server has it, but it is not stored."
            default: "It is stored, but the server does not have it."
            }
        self.init(what: what, kind: kind, id: id, url: url, message: message)
    }

    /// Creates the finding for a damaged copy of a file.
    ///
    /// - Parameter copy: the path of the copy, relative to the mirror's folder.
    static func damaged(_ damaged: DamagedFile, at copy: String) -> Finding {
        let use = damaged.uses.first
        let message =
            if !copy.hasPrefix(FileStore.damagedFolder + "/") {
                "This file is damaged. It is kept until an intact copy has been fetched."
            } else if use == nil {
                "This copy is damaged, and nothing needs the file any more. Delete it if you do not need it."
            } else {
                "The server has no intact copy of this damaged file. It is kept until one has been fetched, or you delete it."
            }
        return Finding(what: .damaged, kind: use?.kind, id: use?.id, path: copy, message: message)
    }

    private static func article(_ noun: String) -> String {
        "\("aeiou".contains(noun.prefix(1)) ? "an" : "a") \(noun)"
    }

    /// The plural noun for the members of a list.
    private static func members(_ list: String) -> String {
        switch list {
        case ObjectList.installationShots.rawValue: "installation shots"
        case ObjectList.cover.rawValue: "covers"
        default: list
        }
    }
}

/// Counts findings and reports each one; it stores none.
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
