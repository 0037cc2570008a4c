/// The source for servers with the Partner API: it makes the requests and reads the answers (``CatalogueSource``).
public struct PartnerSource: CatalogueSource {
    /// Makes the requests.
    public let router: Router
    /// The names of the server's extensions: `validators`, `since`, …
    public let extensions: Set<String>

    /// Creates a source. Default: without extensions.
    public init(_ router: Router, extensions: Set<String> = []) {
        self.router = router
        self.extensions = extensions
    }

    /// The partner's own list, with ETags if the server has the `validators` extension.
    public func list(of kind: Kind) -> ListRequest? {
        guard kind.isListed else { return nil }
        let form: Router.ListForm = extensions.contains("validators") ? .validators : .ids
        guard kind == .location else { return ListRequest(router.list(kind, form)) }
        // The list contains private locations only with the parameter `private=true`. Some servers refuse it; the fallback is the
        // list without it.
        return ListRequest(
            router.list(kind, form, includesPrivate: true),
            fallback: .init(route: router.list(kind, form), parameter: "private=true"))
    }

    /// A page of full objects.
    public func page(_ number: Int, of kind: Kind) -> Route? { router.list(kind, .page(number)) }

    /// Reads an array of ids, of objects `{id, etag, lists}`, or of full objects.
    ///
    /// If the elements are full objects, the server sends its lists only in pages, and this answer is the first page.
    public func readList(_ body: [UInt8], _ take: (ListElement) throws -> Void) throws -> ListAnswerInfo {
        var info = ListAnswerInfo()
        let hasValidators = extensions.contains("validators")
        try JSONValue.readList(body) { element in
            let entry = try? ListEntry(element)
            if let entry, hasValidators {
                info.isPage = info.isPage || entry.object != nil && entry.etag == nil && entry.lists == nil
            } else if entry != nil {
                info.isPage = info.isPage || element.objectValue != nil
            }
            try take(ListElement(element, entry: entry))
        }
        return info
    }

    /// The request for one object.
    public func object(_ id: String, of kind: Kind) -> Route? { router.object(kind, id) }

    /// Reads an answer that is one object.
    /// - Throws: ``JSONError``; ``PayloadError`` if the answer isn't an object.
    public func readObject(_ body: [UInt8], id: String, of kind: Kind) throws -> SourceObject {
        guard case .object(let object) = try JSONValue(parsing: body) else {
            throw PayloadError(
                kind: kind.name,
                message: "The answer is not a JSON object, so it can't be read as \(kind.name).")
        }
        return SourceObject(object)
    }

    /// The `since` request; `nil` if the server doesn't have the extension.
    public func changes(of kind: Kind, since time: String) -> Route? {
        extensions.contains("since") ? router.since(kind, time) : nil
    }
}
