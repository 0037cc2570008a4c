import Catalogue
import MirrorStore

/// The documents of a show or artist, each a download.
enum DocumentRows {
    private static let most = 100

    static func block(of owner: Owner, _ object: FoundObject, _ context: PageContext) throws -> PageBlock? {
        let found = try context.store.documents(of: owner, limit: most + 1), documents = found.prefix(most)
        guard !documents.isEmpty else { return nil }
        let outer = Owner(owner.kind, object.summary.key)
        let rows = documents.map { document in
            PageBlock.Row(
                href: document.file == nil ? nil : context.href(.document(document.id, of: outer)),
                text: LongText.cut(document.title ?? document.filename ?? document.id, to: 200).text,
                detail: detail(document))
        }
        let isCut = found.count > most
        return .rows(
            "Documents", id: "documents", count: isCut ? nil : documents.count, rows,
            after: CutList.link(
                "documents", isCut ? nil : documents.count, shown: most,
                context.href(object.summary) + PageAddress.suffix))
    }

    static func json(of owner: Owner, _ object: FoundObject, _ context: PageContext) throws -> JSONValue {
        let outer = Owner(owner.kind, object.summary.key)
        return .array(
            try context.store.documents(of: owner, limit: CutList.mostInJSON).map { document in
                var json = JSONObject([("id", .string(document.id))])
                json["title"] = (document.title ?? document.filename).map(JSONValue.string)
                json["href"] = document.file.map { _ in
                    .string(context.href(.document(document.id, of: outer)))
                }
                return .object(json)
            })
    }

    /// `PDF, 1.2 MB`
    private static func detail(_ document: CatalogueStore.DocumentItem) -> String {
        let size = document.file.map(\.size) ?? document.size.map(Int64.init)
        let types = [
            "application/pdf": "PDF", "text/plain": "Text", "image/jpeg": "JPEG", "image/png": "PNG",
            "text/html": "HTML",
        ]
        let type = document.file.map { types[ServedType($0.type).name] ?? "File" }
        return [type ?? "not here yet", size.map(ByteText.text)].compactMap(\.self).joined(separator: ", ")
    }
}
