import Catalogue

/// What is to be brought back.
package struct RestoreRequest: Sendable {
    /// The run whose deletions are taken back; `nil` for the last one that deleted any such object.
    package var source: Int64?
    package var kind: Kind?
    package var id: String?
    /// Whether what the run changed is put back as it was before, too.
    package var includesChanged = false
    /// The earliest deletion that can be taken back, as the store writes times: after that files may be gone.
    package var notBefore: String
    /// The run that restores, for the log.
    package var run: Int64

    package init(
        source: Int64? = nil, kind: Kind? = nil, id: String? = nil, includesChanged: Bool = false,
        notBefore: String, run: Int64
    ) {
        self.source = source
        self.kind = kind
        self.id = id
        self.includesChanged = includesChanged
        self.notBefore = notBefore
        self.run = run
    }
}

/// Makes records of JSON that the log kept: what its fields mean is known above the store.
package struct RecordForms: Sendable {
    package let object: @Sendable (_ kind: Kind, _ json: String) throws -> ObjectRecord
    package let document: @Sendable (_ owner: Owner, _ json: String) throws -> DocumentRecord
    package let image: @Sendable (_ show: String, _ json: String) throws -> ImageRecord

    package init(
        object: @escaping @Sendable (_ kind: Kind, _ json: String) throws -> ObjectRecord,
        document: @escaping @Sendable (_ owner: Owner, _ json: String) throws -> DocumentRecord,
        image: @escaping @Sendable (_ show: String, _ json: String) throws -> ImageRecord
    ) {
        self.object = object
        self.document = document
        self.image = image
    }
}

/// What restoring, or undoing it, did. The objects themselves are in the log, under the run.
package struct RestoreReport: Sendable {
    /// The run whose work was taken back; `nil` if none was found, and for an undo.
    package var source: Int64?
    /// Objects that were here already, or are as they were.
    package var present = 0
    /// Objects whose deletion or change is too long ago.
    package var tooOld = 0
    package var problems: [Problem] = []

    package struct Problem: Sendable, Hashable {
        /// `file` for a file that is gone, `object` for what could not be restored.
        package let what: String
        package let object: ChangedObject
        package let message: String
    }

    package init() {}
}

/// The evidence by which the log says that something was restored.
enum RestoreEvidence {
    static func restored(from run: Int64?) -> String { run.map { "restored from run \($0)" } ?? "restored" }
    static let undone = "restore undone"
}
