import Catalogue
import GRDB

/// What others are given of an album that may be edited here: its version on the server, and its artworks there.
private struct ServedAlbum: Equatable {
    let etag: String?
    let members: [ExactText]

    init(_ id: String, in log: ChangeLog) throws {
        let reader = ServedReader(db: log.db, kinds: log.kinds)
        etag = try reader.listed(.album, id)?.etag
        members = try reader.members(of: Owner(.album, id)).map(ExactText.init)
    }
}

extension ChangeLog {
    /// Does something to an album that was edited here. Where what is served of it becomes another, that is noted, even if
    /// the album as it is here stays the same: else whoever it is served to would not hear of it.
    func watching<T>(album id: String, _ body: () throws -> T) throws -> T {
        let before = try ServedAlbum(id, in: self)
        let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(seq) FROM change")) ?? 0
        let result = try body()
        guard try ServedAlbum(id, in: self) != before else { return result }
        let isNoted = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM change WHERE kind = 'album' AND id = ? AND seq > ?)")
        if try Bool.fetchOne(isNoted, arguments: [id, last]) != true {
            try note(.update, .album, id, list: "served")
        }
        return result
    }
}
