import Catalogue
import MirrorHTTP
import MirrorStore

extension ListName {
    /// Whether it is the partner's own.
    var isOwn: Bool { owner.kind == .partner }

    /// What it is the list of, for messages: `list of artworks`, `list of documents of the show “spring”`.
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

    /// An id, as far as a sentence has room for it and a terminal can take it.
    private static func shown(_ id: String) -> String {
        let visible = id.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        let text = String(String.UnicodeScalarView(visible.prefix(80)))
        return visible.count > 80 ? "\(text)…" : text
    }
}

/// What can be wrong with a list as a whole. Each message names the list.
enum ListProblem {
    /// Such a list fails by itself, and isn't requested again in the same run.
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
            "The server's \(list.title) has more bytes than a list may have. Check the address; if the list is right, run again with a larger --max-objects.",
            cause: cause, status: cause.status)
    }

    /// Pages of which one repeats another, or is no longer what it was.
    static func shifted(_ list: ListName) -> HTTPError {
        HTTPError(
            .badResponse,
            "The server's \(list.title) shifted while it was read page by page. It is read again next time.")
    }

    /// Some elements have no usable id.
    ///
    /// - Parameter source: what has the list.
    static func incomplete(
        _ list: ListName, _ unusable: UnusableElements, of source: Source = .server
    ) -> Problem {
        Problem(
            what: "incomplete list", kind: list.isOwn ? nil : list.owner.kind.name,
            id: list.isOwn ? list.name : list.owner.id,
            message:
                "\(sentence(list, unusable, of: source)) The others were taken, and nothing that the list lacks was removed. \(source.remedy)"
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
    /// What reads a list: under an object there are ids alone, whatever the server offers.
    func source(of list: ListName) -> any CatalogueSource { list.isOwn ? source : PartnerSource(router) }

    /// What a list lacks, or has and isn't joined yet, still waits for this run's end; anything else needs no write.
    func confirm(_ list: ListName, _ state: ListState?) async throws {
        if state?.pending == true { try await applier.submit(.confirmed(list)) }
    }

    /// Sends the request for a list, or for a page of it.
    func send(_ operation: ListOperation, for list: ListName) async throws -> Fetched {
        do {
            return try await send(operation)
        } catch let error as HTTPError where error.code == .tooLarge {
            throw ListProblem.tooLarge(list, cause: error)
        }
    }
}
