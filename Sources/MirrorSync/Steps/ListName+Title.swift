import Catalogue
import MirrorHTTP
import MirrorStore

extension ListName {
    /// Whether it is the partner's own list of a kind, not a membership list.
    var isOwn: Bool { owner.kind == .partner }

    /// The list as messages call it: `list of artworks`, `list of documents of the show “spring”`.
    var title: String {
        let content =
            switch name {
            case "images?default=0": "installation shots"
            case "images?default=1": "cover pictures"
            default: name
            }
        guard !isOwn else { return "list of \(content)" }
        return "list of \(content) of the \(owner.kind.name) “\(Self.shown(owner.id))”"
    }

    /// An id that is safe to print: control characters are replaced, and it is cut after 80 characters.
    private static func shown(_ id: String) -> String {
        let visible = id.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        let text = String(String.UnicodeScalarView(visible.prefix(80)))
        return visible.count > 80 ? "\(text)…" : text
    }
}

/// Errors and problems of a whole list. Each message names the list.
enum ListProblem {
    /// Only this list fails, and it isn't requested again in the same run.
    static func tooMany(_ list: ListName, limit: Int) -> LastingFailure {
        LastingFailure(
            cause: HTTPError(
                .tooLarge,
                "The server's \(list.title) has more than \(limit) members. If that is right, run again with a larger --max-objects."
            ))
    }

    static func tooLarge(_ list: ListName, cause: HTTPError) -> HTTPError {
        HTTPError(
            .tooLarge,
            "The server's \(list.title) is larger than a list may be. Check the address; if the list is right, run again with a larger --max-objects.",
            cause: cause, status: cause.status)
    }

    /// A page repeats a member of another page, or changed while the list was read.
    static func shifted(_ list: ListName) -> HTTPError {
        HTTPError(
            .badResponse,
            "The server's \(list.title) changed while it was read page by page. The next sync reads it again."
        )
    }

    /// Some elements have no usable id.
    ///
    /// - Parameter source: where the list was read from.
    static func incomplete(
        _ list: ListName, _ unusable: UnusableElements, of source: Source = .server
    ) -> Problem {
        Problem(
            what: "incomplete list", kind: list.isOwn ? nil : list.owner.kind.name,
            id: list.isOwn ? list.name : list.owner.id,
            message:
                "\(sentence(list, unusable, of: source)) The other elements were read, and nothing that the list lacks was removed. \(source.remedy)"
        )
    }

    enum Source: String {
        case server, catalogue

        var remedy: String {
            self == .server ? "Report it to its owner." : "Correct the catalogue and import it again."
        }
    }

    static func sentence(_ list: ListName, _ unusable: UnusableElements, of source: Source = .server)
        -> String
    {
        "The \(source.rawValue)'s \(list.title) has elements without a usable id: \(unusable.text)."
    }
}

extension SyncEnvironment {
    /// The source that reads a list. A membership list always has the Partner API's form: ids alone.
    func source(of list: ListName) -> any CatalogueSource { list.isOwn ? source : PartnerSource(router) }

    /// Confirms an unchanged list, if it has additions or removals that are only applied at the end of this run. Otherwise
    /// nothing has to be written.
    func confirm(_ list: ListName, _ state: ListState?) async throws {
        if state?.pending == true { try await applier.submit(.confirmed(list)) }
    }

    /// Requests a list, or one page of it.
    func send(_ operation: ListOperation, for list: ListName) async throws -> Fetched {
        do {
            return try await send(operation)
        } catch let error as HTTPError where error.code == .tooLarge {
            throw ListProblem.tooLarge(list, cause: error)
        }
    }
}
