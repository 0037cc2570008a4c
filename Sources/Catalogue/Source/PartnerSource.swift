/// The Partner API, with the extensions that its server offers.
public struct PartnerSource: CatalogueSource {
    public let router: Router
    /// Names of the extensions: `validators`, `since`, …
    public let extensions: Set<String>

    public init(_ router: Router, extensions: Set<String> = []) {
        self.router = router
        self.extensions = extensions
    }

    public func list(of kind: Kind) -> ListRequest? {
        guard kind.isListed else { return nil }
        let form: Router.ListForm = extensions.contains("validators") ? .validators : .ids
        guard kind == .location else { return ListRequest(router.list(kind, form)) }
        // Those that are not public are only listed on demand, and not by every server.
        return ListRequest(
            router.list(kind, form, includesPrivate: true),
            fallback: .init(route: router.list(kind, form), parameter: "private=true"))
    }

    public func page(_ number: Int, of kind: Kind) -> Route? { router.list(kind, .page(number)) }

    /// An array of ids, of objects `{id, etag, lists}`, or of whole objects: then the server knows pages alone.
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

    public func object(_ id: String, of kind: Kind) -> Route { router.object(kind, id) }

    public func readObjects(_ body: [UInt8], of kind: Kind) throws -> [SourceObject] {
        guard case .object(let object) = try JSONValue(parsing: body) else {
            throw PayloadError(
                kind: kind.name, message: "The answer is no JSON object, so no \(kind.name).")
        }
        return [SourceObject(object)]
    }

    public func changes(of kind: Kind, since time: String) -> Route? {
        extensions.contains("since") ? router.since(kind, time) : nil
    }
}
