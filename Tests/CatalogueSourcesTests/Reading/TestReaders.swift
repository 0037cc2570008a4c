import Catalogue
import CatalogueSources

extension SourceReader {
    /// A reader of a description that is written in a test.
    convenience init(yaml: String) throws {
        try self.init(SourceDescription(yaml: yaml, file: "test.yaml"), file: "test.yaml")
    }

    /// A reader of a built-in description.
    convenience init(builtIn name: String) throws {
        try self.init(SourceFolder(nil).description(named: name), file: "\(name).yaml")
    }

    /// The only object of a page.
    func onlyObject(on page: String, of kind: Kind = .artwork) throws -> ReadObject? {
        let page = try self.page(page, of: kind)
        guard page.rows.count == 1 else { return nil }
        return try object(of: page.rows[0], in: page, of: kind).object
    }

    func object(_ answer: String, id: String, status: Int = 200, of kind: Kind = .artwork) throws
        -> SourceAnswer
    {
        try object(Array(answer.utf8), id: id, status: status, of: kind)
    }

    func page(_ answer: String, of kind: Kind = .artwork, thin: Bool = false) throws -> SourcePage {
        try page(Array(answer.utf8), of: kind, thin: thin)
    }
}

/// A description of a made-up museum, with the parts of artworks that a test replaces.
struct TestDescription {
    var form = "whole"
    var get = "/works"
    /// Further lines of the list.
    var list: [String] = []
    var rows = "SELECT value ->> 'id' AS id, value AS object FROM json_each(:body, '$.works')"
    var identity = "SELECT :body ->> 'id'"
    var row = "SELECT :body ->> 'title' AS title"
    /// Further lines of the object.
    var object: [String] = []
    /// Further lines of the kind.
    var kind: [String] = []

    var yaml: String {
        let lines =
            [
                "source: test", "title: A Museum", "base: https://api.example.org/v1",
                "hosts: [images.example.org]",
                "rights: unchecked", "artworks:", "  list:", "    form: \(form)", "    get: \"\(get)\"",
                "    rows: \(rows)",
            ] + list.map { "    \($0)" } + [
                "  object:", "    get: \"/works/{id}\"", "    is: \(identity)", "    row: \(row)",
            ] + object.map { "    \($0)" } + kind.map { "  \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    func reader() throws -> SourceReader { try SourceReader(yaml: yaml) }
}
