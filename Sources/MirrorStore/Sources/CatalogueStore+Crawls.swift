import GRDB

/// Lists that a killed run has read in part, so that the next run continues where it stopped.
extension CatalogueStore {
    /// Stores how far the reading of a list is; `nil` if it has ended.
    static func setCrawl(_ text: String?, of list: ListName, in db: Database) throws {
        guard let text else { return try db.run("DELETE FROM meta WHERE key = ?", [crawlKey(list)]) }
        try db.run(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [crawlKey(list), text])
    }

    /// The draft of a list that a run has read in part, and how far it came, as it was stored; `nil` if there is none.
    package func unfinishedCrawl(of list: ListName) throws -> (draft: ListDraft, text: String)? {
        try read { db in
            guard let text = try db.text("SELECT value FROM meta WHERE key = ?", [Self.crawlKey(list)]),
                let row = try db.row("SELECT number, version FROM list WHERE url = ?", [list.url])
            else { return nil }
            let number: Int64 = row[0], version: Int64 = row[1]
            return (ListDraft(list: list, number: number, version: version + 1), text)
        }
    }

    /// Notes that the reading of a list has ended, so that the next run begins again.
    package func endCrawl(of list: ListName) throws {
        guard try unfinishedCrawl(of: list) != nil else { return }
        try write(isServed: false) { try Self.setCrawl(nil, of: list, in: $0) }
    }

    /// Whether a draft has versions of its members.
    package func hasVersions(in draft: ListDraft) throws -> Bool {
        try read {
            try $0.isTrue(
                "SELECT EXISTS (SELECT 1 FROM list_member WHERE list = ? AND version = ? AND etag IS NOT NULL)",
                [draft.number, draft.version])
        }
    }

    /// The ids of the members of a draft.
    package func ids(in draft: ListDraft) throws -> [String] {
        try read {
            try $0.texts(
                "SELECT id FROM list_member WHERE list = ? AND version = ? ORDER BY position",
                [draft.number, draft.version])
        }
    }

    private static func crawlKey(_ list: ListName) -> String { "crawl/\(list.name)" }
}
