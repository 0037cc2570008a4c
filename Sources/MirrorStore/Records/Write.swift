import Catalogue

/// One thing to be written. Every write of the program is one of these and goes through ``CatalogueStore/apply(_:run:)``.
///
/// Indirect, since each passes through several hands, and a copy is to be one reference counted, not twenty.
package indirect enum Write: Sendable {
    case object(ObjectRecord)
    case document(DocumentRecord)
    /// All pictures of one role that a show has, in order: what is not named is removed.
    case showImages(show: String, role: ImageRole, images: [ImageRecord], list: ListAnswer)
    case file(FileRecord)
    /// The ids that a membership list named; joined to its owner when the run ends (``CatalogueStore/finish(_:)``).
    case members(list: ListAnswer, ids: [String])
    /// The server confirmed a list (`304`, or a validator): it is complete in this run as it was stored.
    case confirmed(ListName)
    case flag(key: String, value: String)
    /// The server says of one object that it deleted it; `evidence` is the list that said so.
    case tombstone(kind: Kind, id: String, evidence: String)
    /// Something of a kind is about to change without its own list: a `304` on that list no longer tells that all of its
    /// members are here. Nor does an older list, made before `date` (seconds since 1970), tell what isn't there any more.
    case unclean(kind: Kind, date: Double? = nil)
    /// An object that is here only because something refers to it, if at all, was asked for now.
    case tried(kind: Kind, id: String)
    /// What is stored of an object must not be relied on: it is asked for again, whatever its ETag, and its kind's list is
    /// ``unclean(kind:date:)``.
    case refetch(kind: Kind, id: String)
    /// Something of a kind comes from an answer that was made so early: what changed since may be missing, so the next pull
    /// asks for all of it (``SinceRecord/since``). A date that is earlier already stays.
    case mayLack(kind: Kind, since: String)
    /// The server was asked for a file whose copy here is damaged, and has no better one.
    case fileRefused(FileUse)

    /// Whether it is an object, or a part of one that has a row of its own.
    package var isObject: Bool {
        switch self {
        case .object, .document, .showImages, .file, .tombstone: true
        case .members, .confirmed, .flag, .unclean, .tried, .refetch, .mayLack, .fileRefused:
            false
        }
    }

    /// About how many bytes it holds, where those may be many: the JSON of objects, the ids of lists.
    package var bytes: Int {
        switch self {
        case .object(let record): record.json.utf8.count + (record.served?.utf8.count ?? 0)
        case .document(let record): record.json.utf8.count + (record.served?.utf8.count ?? 0)
        case .showImages(_, _, let images, _): images.reduce(0) { $0 + $1.json.utf8.count }
        case .members(_, let ids): ids.count * MemoryLayout<String>.stride
        default: 0
        }
    }

    /// The file that its row will refer to.
    package var file: StoredFile? {
        if case .file(let record) = self { record.file } else { nil }
    }
}

/// What a write did.
package enum WriteEffect: Sendable, Hashable {
    case created, updated, unchanged, deleted
    /// The object is gone, and with it what was edited here and not pushed yet; the change log has it.
    case deletedWithLocalEdit
    /// Its owner is gone, or a local edit comes first: nothing was written.
    case ignored
    /// The answer is older than the one last applied: nothing was written.
    case outdated
}
