import Catalogue

/// Reads how one kind is listed, requested and deleted.
struct KindReader {
    let kind: Kind
    let templates: TemplateReader
    let hasUncheckedRights: Bool

    func description(_ node: DescriptionNode) throws(SourceDescriptionError) -> KindDescription {
        let keys = try DescriptionMapping(node, keys: ["list", "object", "gone"])
        var list: ListDescription?
        if let node = keys["list"] { list = try self.list(node) }
        let object = try keys.required("object", "Describe how one object is requested and read.")
        var description = KindDescription(
            kind, list: list, object: try self.object(object, hasList: list != nil))
        if let node = keys["gone"] { description.gone = try deletion(node, hasList: list != nil) }
        return description
    }

    private func deletion(
        _ node: DescriptionNode, hasList: Bool
    ) throws(SourceDescriptionError) -> DeletionDescription {
        let keys = try DescriptionMapping(node, keys: ["by", "lists", "apart"])
        var gone = DeletionDescription()
        let by = try keys.required("by", "Write signal, absence or never.")
        gone.rule = try by.choice(of: DeletionDescription.Rule.self)
        if gone.rule != .absence { try keys.refuse("lists", "apart", reason: "\"by: absence\"") }
        guard hasList || gone.rule == .never else {
            throw by.failure(
                "\(by.path) can't be \(gone.rule.rawValue), because \(kind.plural) have no list. Use never.")
        }
        if let node = keys["lists"] { gone.lists = try node.integer(1...100) }
        if let node = keys["apart"] { gone.apart = try node.duration() }
        return gone
    }
}

// MARK: - Lists

extension KindReader {
    private static let listKeys = [
        "form", "get", "first", "size", "rows", "total", "pages", "window", "order", "thin", "since",
        "until_older",
    ]

    private func list(_ node: DescriptionNode) throws(SourceDescriptionError) -> ListDescription {
        let keys = try DescriptionMapping(node, keys: Self.listKeys)
        let form = try keys.required("form", "Write whole, page or offset.")
            .choice(of: ListDescription.Form.self, later: ["cursor", "oai", "changes"])
        let get = try keys.required("get", "Write the request of the list, such as /objects.")
        let rows = try keys.required("rows", "Write the SQL that gives the id of each entry.")
        var list = ListDescription(
            form: form, get: try templates.template(get, for: .list(form)), rows: try rows.query())
        try readPages(keys, into: &list)
        list.total = try keys["total"]?.query()
        list.window = try keys["window"]?.integer(1...1_000_000_000)
        if let node = keys["order"] {
            try node.only("changed_desc")
            list.isNewestFirst = true
        }
        if let node = keys["thin"] { list.thin = try thin(node, of: list, get) }
        list.since = try since(keys, of: list)
        return list
    }

    private func readPages(
        _ keys: DescriptionMapping, into list: inout ListDescription
    ) throws(SourceDescriptionError) {
        if list.form == .whole {
            try keys.refuse("size", "pages", "order", "until_older", reason: "the forms page and offset")
        } else {
            let size = try keys.required("size", "Write how many entries a full page has.")
            list.size = try size.integer(1...100_000)
            list.pages = try keys["pages"]?.query()
        }
        if list.form != .page { try keys.refuse("first", reason: "the form page") }
        if let node = keys["first"] { list.first = try node.integer(0...1) }
    }

    private func thin(
        _ node: DescriptionNode, of list: ListDescription, _ get: DescriptionNode
    ) throws(SourceDescriptionError) -> [ListDescription.QueryItem] {
        let names = list.get.queryNames
        var items: [ListDescription.QueryItem] = []
        for entry in try DescriptionMapping(node).entries {
            if !names.contains(entry.name), let suggestion = NearestName(of: entry.name, in: names).suggestion
            {
                throw entry.key.failure(
                    "There is no query item \(entry.name.quoted) in \(get.path). \(suggestion)")
            }
            guard !entry.name.contains(where: "&=?#{}".contains) else {
                throw entry.key.failure("\(entry.name.quoted) can't be the name of a query item.")
            }
            let value = try entry.value.text()
            guard !value.contains("&") else {
                throw entry.value.failure("\(entry.value.path) is one query item. Write a literal & as %26.")
            }
            items.append(ListDescription.QueryItem(entry.name, value))
            _ = try templates.template(
                list.get.text(replacing: items), of: entry.value, for: .list(list.form))
        }
        guard !items.isEmpty else { throw node.failure("\(node.path) has no query items. Remove it.") }
        return items
    }

    private func since(
        _ keys: DescriptionMapping, of list: ListDescription
    ) throws(SourceDescriptionError) -> ListDescription.Since? {
        if let node = keys["until_older"] {
            try node.only("true")
            guard keys["since"] == nil else {
                throw node.failure("A list has either \"since\" or \"until_older\". Remove one of them.")
            }
            guard list.isNewestFirst else {
                throw node.failure(
                    "\"until_older\" stops at the first entry that hasn't changed, so the list must be in the order of changes. Add \"order: changed_desc\" if it is."
                )
            }
            return .untilOlder
        }
        guard let node = keys["since"] else { return nil }
        let since = try DescriptionMapping(node, keys: ["get", "overlap"])
        let get = try since.required("get", "Write the request, with {since:date} or {since:instant}.")
        return .parameter(
            get: try templates.template(get, for: .since(list.form)),
            overlap: try since["overlap"]?.duration() ?? .seconds(86_400))
    }
}
