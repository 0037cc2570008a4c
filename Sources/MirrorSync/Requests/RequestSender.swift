import Catalogue
import MirrorHTTP
import MirrorStore

/// Sends what the steps request. A sync sends everything (``SessionSender``); a dry run answers from what is known
/// wherever that suffices. Steps don't know which of the two they have.
package protocol RequestSender: Sendable {
    var session: InterceptableSession { get }

    func send(_ operation: FetchOperation) async throws -> Fetched
    func send(_ operation: WriteOperation) async throws -> Response

    /// Carries out an exchange that pushes an edit.
    /// - Parameters:
    ///   - writes: what it writes; `questions` how many requests come before.
    func push(_ writes: [WriteOperation], questions: Int, _ exchange: () async throws -> Void) async throws

    /// Fetches a file.
    /// - Returns: `nil` if it was not fetched, since nothing is to be stored.
    func file(
        _ file: WantedFile, _ fetch: () async throws -> FileDownload.Result
    ) async throws -> FileDownload.Result?
}

/// Sends everything.
package struct SessionSender: RequestSender {
    package let session: InterceptableSession

    package init(_ session: InterceptableSession) { self.session = session }

    package func send(_ operation: FetchOperation) async throws -> Fetched {
        try await session.send(operation)
    }

    package func send(_ operation: WriteOperation) async throws -> Response {
        try await session.send(operation)
    }

    package func push(_ writes: [WriteOperation], questions: Int, _ exchange: () async throws -> Void)
        async throws
    {
        try await exchange()
    }

    package func file(_ file: WantedFile, _ fetch: () async throws -> FileDownload.Result) async throws
        -> FileDownload.Result?
    {
        try await fetch()
    }
}

/// What a request is for, and what is known of it beforehand.
package enum RequestSubject: Sendable {
    /// The partner, its lists, and whatever else decides what there is to do.
    case directory
    /// An object, and what is stored of it.
    case object(Owner, ListedMember.Stored, announced: String?, joins: Bool, isPruned: Bool)
    /// A list under an object. `announced` is its ETag as the object's list has it, where that says something.
    case list(ObjectList, Owner, announced: String?, stored: ListState?)
    case document(Owner, StoredDocument?)
}

/// A file that an object names.
package struct WantedFile: Sendable {
    package let use: FileUse
    /// As the server's JSON has it.
    package let url: String
    /// In bytes, where the server states it.
    package let size: Int?
    /// What is equal for all objects that name the same file.
    package let key: String
    /// What the mirror has: nothing, bytes that may be confirmed, or the knowledge that the server has none.
    package let state: State

    package enum State: Sendable, Hashable { case absent, stored, unavailable }
}
