/// A description of the made-up museum (``ScriptedMuseum``) as text, of which a test changes a part.
struct SmallDescription {
    /// Further lines at the top, such as `hosts: [pictures.museum.test]`.
    var top = ""
    var base = ScriptedMuseum.base
    /// The list's form, request and size.
    var list = """
        form: page
        get: "/works?page={page}&size={size}"
        size: 2
        """
    var rows = SmallDescription.idsAndVersions
    /// `nil` for a list without a total.
    var total: String? = "SELECT :body ->> 'total'"
    /// Further lines of the list.
    var more = ""
    var row = "SELECT :body ->> 'title' AS title, :body ->> 'medium' AS medium"
    /// Further lines of the object.
    var object = ""
    var gone = "{ by: absence, lists: 3, apart: 2d }"
    /// Other kinds.
    var kinds = ""

    static let ids = "SELECT value ->> 'id' AS id FROM json_each(:body, '$.data')"
    static let idsAndVersions =
        "SELECT value ->> 'id' AS id, value ->> 'version' AS version FROM json_each(:body, '$.data')"
    static let objects =
        "SELECT value ->> 'id' AS id, value ->> 'version' AS version, value AS object FROM json_each(:body, '$.data')"
    static let artists =
        "artists: SELECT value ->> 'id' AS id, value ->> 'name' AS name, value ->> 'born' AS birthday FROM json_each(:body, '$.artists')"

    /// The description that `change` makes of the usual one.
    init(_ change: (inout SmallDescription) -> Void = { _ in }) { change(&self) }

    var yaml: String {
        var lines = ["source: tiny", "title: A Made-up Museum", "base: \(base)"]
        func add(_ text: String, indented depth: Int) {
            guard !text.isEmpty else { return }
            lines += text.split(separator: "\n").map { String(repeating: " ", count: depth) + $0 }
        }
        add(top, indented: 0)
        lines += ["artworks:", "  list:"]
        add(list, indented: 4)
        add("rows: \(rows)", indented: 4)
        if let total { add("total: \(total)", indented: 4) }
        add(more, indented: 4)
        add("object:\n  get: /works/{id}\n  is: SELECT :body ->> 'id'\n  row: \(row)", indented: 2)
        add(object, indented: 4)
        add("gone: \(gone)", indented: 2)
        add(kinds, indented: 0)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The line of the description, from 1, that begins with a key.
    func line(of key: String) -> Int? {
        yaml.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
            $0.drop { $0 == " " }.hasPrefix("\(key):")
        }.map { $0 + 1 }
    }
}
