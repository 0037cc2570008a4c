import Catalogue

/// One change to the store. Every change that a sync makes is one of these, applied by ``CatalogueStore/apply(_:run:)``.
///
/// The enum is indirect because values are passed on several times: a copy then retains one reference, not twenty.
package indirect enum Write: Sendable {
    case object(ObjectRecord)
    case document(DocumentRecord)
    /// All pictures of a show in one role, in order. Pictures that are not among them are removed.
    case showImages(show: String, role: ImageRole, images: [ImageRecord], list: ListAnswer)
    case file(FileRecord)
    /// The ids that a membership list contains. They are joined to the list's owner when the run ends
    /// (``CatalogueStore/finish(_:)``).
    case members(list: ListAnswer, ids: [String])
    /// The server confirmed a list, by a `304` or a validator: the stored list is complete in this run.
    case confirmed(ListName)
    case flag(key: String, value: String)
    /// The server reports that it deleted an object; `evidence` is the list with that report.
    case tombstone(kind: Kind, id: String, evidence: Evidence)
    /// Objects of a kind are about to change without a request of the kind's own list.
    ///
    /// Until that list is fetched again, a `304` on it doesn't prove that all of its members are stored. A list made before
    /// `date` (seconds since 1970) doesn't prove deletions.
    case markListNotClean(kind: Kind, date: Double? = nil)
    /// An object was requested by its own URL. A ghost or a linked object isn't due again within 24 hours.
    ///
    /// `isAbsent`: whether the server doesn't have, or doesn't show, it.
    case tried(kind: Kind, id: String, isAbsent: Bool = false)
    /// The stored version of an object can't be relied on. It is requested again even if its ETag is listed, and its kind becomes
    /// ``markListNotClean(kind:date:)``.
    case refetch(kind: Kind, id: String)
    /// An object of a kind was read from an answer that the server made at the time `since`. Later changes may be missing, so
    /// the next pull requests all changes from that time on (``SinceRecord/since``). An earlier stored date is kept.
    case mayLack(kind: Kind, since: String)
    /// A file whose stored copy is damaged was requested again, and the server doesn't have it.
    case fileRefused(FileUse)

    /// Whether it changes an object, or a part of one that has its own row.
    package var isObject: Bool {
        switch self {
        case .object, .document, .showImages, .file, .tombstone: true
        case .members, .confirmed, .flag, .markListNotClean, .tried, .refetch, .mayLack, .fileRefused:
            false
        }
    }

    /// The approximate size in bytes of its large parts: the JSON of objects and the ids of lists.
    package var bytes: Int {
        switch self {
        case .object(let record): record.json.utf8.count + (record.served?.utf8.count ?? 0)
        case .document(let record): record.json.utf8.count + (record.served?.utf8.count ?? 0)
        case .showImages(_, _, let images, _): images.reduce(0) { $0 + $1.json.utf8.count }
        case .members(_, let ids): ids.count * MemoryLayout<String>.stride
        default: 0
        }
    }

    /// The file to which the written row will refer.
    package var file: StoredFile? {
        if case .file(let record) = self { record.file } else { nil }
    }
}

/// The effect of a ``Write``.
package enum WriteEffect: Sendable, Hashable {
    case created, updated, unchanged, deleted
    /// The object was deleted, together with a local edit that had not been pushed. The change log keeps the edit.
    case deletedWithLocalEdit
    /// Nothing was written: the object's owner is gone, or a local edit takes precedence.
    case ignored
    /// Nothing was written: the answer is older than the one last applied.
    case outdated
}
