import Catalogue

extension KindReader {
    private static let objectKeys = [
        "get", "batch", "is", "absent", "root", "row", "artists", "images", "members", "volatile",
    ]

    func object(_ node: DescriptionNode, hasList: Bool) throws(SourceDescriptionError) -> ObjectDescription {
        let keys = try DescriptionMapping(node, keys: Self.objectKeys)
        let get = try keys.required("get", "Write the request of one object, such as /objects/{id}.")
        let identity = try keys.required("is", "Write the SQL that gives the id in an answer.")
        let row = try keys.required("row", "Write the SQL that gives the object's fields.")
        var object = ObjectDescription(
            get: try templates.template(get, for: .object), identity: try identity.query(),
            row: try row.query())
        if let node = keys["batch"] { object.batch = try batch(node, hasList: hasList) }
        if let node = keys["absent"] { object.absent = try absence(node) }
        if let node = keys["root"] {
            object.root = try node.text("a path that begins with $, such as $.data") { $0.first == "$" }
        }
        try readParts(keys, into: &object)
        for element in try keys["volatile"]?.elements() ?? [] { object.volatile.append(try element.text()) }
        return object
    }

    private func readParts(
        _ keys: DescriptionMapping, into object: inout ObjectDescription
    ) throws(SourceDescriptionError) {
        func kinds(_ isIncluded: (Kind) -> Bool) -> String {
            Kinds.standard.listed.filter(isIncluded).map(\.plural).enumeration
        }
        if !kind.hasArtists { try keys.refuse("artists", reason: kinds(\.hasArtists)) }
        if !kind.hasPictures { try keys.refuse("images", reason: kinds(\.hasPictures)) }
        if !kind.hasMembers { try keys.refuse("members", reason: kinds(\.hasMembers)) }
        object.artists = try keys["artists"]?.query()
        object.members = try keys["members"]?.query()
        guard let node = keys["images"] else { return }
        let images = try node.query()
        guard hasUncheckedRights || PictureCondition(images.sql).isComplete else {
            throw node.failure(
                "\(node.path) needs a WHERE in each SELECT that says which pictures may be copied, such as WHERE :body ->> 'isPublicDomain'. If there is nothing to check, write \"rights: unchecked\" at the top of the description."
            )
        }
        object.images = images
    }

    private func batch(
        _ node: DescriptionNode, hasList: Bool
    ) throws(SourceDescriptionError) -> ObjectDescription.Batch {
        let keys = try DescriptionMapping(node, keys: ["get", "size", "rows"])
        let get = try keys.required("get", "Write the request of several objects, with {ids}.")
        let size = try keys.required("size", "Write how many ids a request may have.")
        let rows =
            hasList
            ? keys["rows"]
            : try keys.required(
                "rows", "Write the SQL that gives id and object, because there is no list to take it from.")
        return ObjectDescription.Batch(
            get: try templates.template(get, for: .batch), size: try size.integer(1...10_000),
            rows: try rows?.query())
    }

    private func absence(_ node: DescriptionNode) throws(SourceDescriptionError) -> AbsenceDescription {
        let keys = try DescriptionMapping(node, keys: ["status", "where"])
        var absence = AbsenceDescription()
        absence.condition = try keys["where"]?.query()
        guard let statuses = keys["status"] else { return absence }
        absence.statuses = []
        for element in try statuses.elements() {
            let status = try element.integer(400...499)
            guard ![401, 403, 408, 429].contains(status) else {
                throw element.failure(
                    "The status \(status) never means that an object is absent: it refuses the request. Remove it."
                )
            }
            absence.statuses.insert(status)
        }
        guard !absence.statuses.isEmpty || absence.condition != nil else {
            throw statuses.failure(
                "\(statuses.path) is empty. Write the statuses that mean that an object is absent, such as [404, 410]."
            )
        }
        return absence
    }
}
