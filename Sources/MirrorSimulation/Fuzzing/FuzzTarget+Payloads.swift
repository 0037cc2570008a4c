import Catalogue

extension FuzzTarget {
    private static let fields =
        (Kinds.standard.all.flatMap(\.columns) + ImageEntry.columns).map(\.name)
    private static let nested = [
        "artists", "artist", "images", "edition_sets", "location", "partner", "cover", "artwork_ids",
        "artist_ids",
        "dimensions", "dimensions_text", "partner_flags", "_catalogue", "own", "not", "show_id", "date_text",
        "birth_year", "sort_name", "url", "is_primary", "text",
    ]
    private static let words = jsonWords + (fields + nested).map { "\"\($0)\":" }

    private static let bodies = [
        #"{"id":"a","artists":[{"id":"x","name":"X"},"y"],"dimensions":{"in":"1 in","cm":"2"},"height":"2.5","#
            + #""images":[{"id":"i","image_url":"http://h/p/larger.jpg?x=1","image_versions":["square","larger"],"#
            + #""original_width":10,"original_height":20,"position":1}],"edition_sets":[{"id":"e","prices":[1]}]}"#,
        #"{"id":"a","images":[{"id":"i","image_urls":{"larger":"https://h/a b.jpg","square":"http://h/s.jpg","odd":1}}]}"#,
        #"{"id":7,"name":"A","start_at":"2026-01-01","end_at":"2026-02-01","location":{"id":"l"},"artists":[],"partner":{"id":"p"}}"#,
        #"{"id":"p","partner_flags":{"a":1},"admin":{"id":1,"email":"a@b"},"subscription_plans_names":["x"],"artworks_count":"12"}"#,
        #"{"id":"d","title":"T","filename":"a.pdf","size":12,"uri":"partner/p/show/s/document/d/file/a.pdf"}"#,
    ]
    private static let lines = [
        #"{"id":"a","slug":"s","title":"T","artist_ids":["x"],"date_text":"1900","accession_number":"1.2","dimensions_text":"5 in","#
            + #""location_id":"l","images":[{"id":"i","url":"http://h/i.jpg","width":10,"height":20,"is_primary":true}]}"#,
        #"{"id":"x","name":"X","sort_name":"X","dates_text":"b. 1900","birth_year":1900,"death_year":null}"#,
        #"{"id":"s","name":"S","start_date":"2026-01-01","artwork_ids":["a"],"artist_ids":["x"],"cover":{"id":"c"},"images":[{"id":"i"},{}]}"#,
        #"{"id":"d","show_id":"s","title":"T","text":"words","_catalogue":{"own":{"a":1},"not":["b"]}}"#,
    ]

    /// Targets for objects of the API and lines of a catalogue.
    static let payloads = [
        FuzzTarget("payload", seeds: bodies + lines, words: words, input: { [$0] }, check: checkPayload),
        FuzzTarget("serving form", seeds: bodies, words: words, input: { [$0] }, check: checkServing),
        FuzzTarget(
            "catalogue line", seeds: lines + bodies, words: words, input: { [$0] }, check: checkCatalogue),
    ]

    private static func checkPayload(_ input: [UInt8]) throws(FuzzFinding) {
        guard let object = object(input) else { return }
        let copy = try again(object)
        try checkPayload(Artwork.self, object, copy)
        try checkPayload(Artist.self, object, copy)
        try checkPayload(Show.self, object, copy)
        try checkPayload(Album.self, object, copy)
        try checkPayload(Location.self, object, copy)
        try checkPayload(Partner.self, object, copy)
        try checkPayload(User.self, object, copy)
        try checkPayload(Document.self, object, copy)
        try checkPayload(EditionSet.self, object, copy)
        if let image = try checkPayload(ImageEntry.self, object, copy) {
            for wanted in [PictureFormats.largest, .standard, .named(ImageEntry.formats)] {
                for format in wanted.chosen(among: image.address.versions, isFirst: true) {
                    _ = image.address.fileURL(format: format)
                }
            }
        }
    }

    @discardableResult
    private static func checkPayload<Body: Payload>(
        _ type: Body.Type, _ object: JSONObject, _ copy: JSONObject
    )
        throws(FuzzFinding) -> Body?
    {
        var warnings: [FieldWarning] = [], others: [FieldWarning] = []
        guard let body = try? Body(object, warnings: &warnings) else { return nil }
        try FuzzFinding.unless(!body.id.isBlank, "A \(Body.kind) that can be read has an id.")
        try FuzzFinding.unless(
            body.values.count == Body.columns.count, "A \(Body.kind) has a value for each field.")
        let again = try? Body(copy, warnings: &others)
        try FuzzFinding.unless(
            again == body && again?.values == body.values && others == warnings,
            "A \(Body.kind) that is written and read again is the same.")
        return body
    }

    private static func checkServing(_ input: [UInt8]) throws(FuzzFinding) {
        guard let object = object(input) else { return }
        let forms: [(String, (JSONObject) -> JSONObject?)] = [
            ("artwork", ServingForm.artwork), ("show", ServingForm.show), ("partner", ServingForm.partner),
            ("picture", { ServingForm.showImage($0, show: "s /") }),
            ("document", { ServingForm.document($0, partner: "p", owner: Owner(.artist, "a/b")) }),
        ]
        for (name, form) in forms {
            guard let served = form(object) else { continue }
            try FuzzFinding.unless(
                served != object, "The serving form of a \(name) is returned only if it differs.")
            try FuzzFinding.unless(
                form(served) == nil, "The serving form of a \(name) is its own serving form.")
            try FuzzFinding.unless(
                served["id"]?.idText == object["id"]?.idText, "The serving form of a \(name) keeps its id.")
        }
    }

    private static func checkCatalogue(_ input: [UInt8]) throws(FuzzFinding) {
        guard let source = object(input) else { return }
        for kind in Kinds.standard.listed {
            let entry = CatalogueMapping.entry(kind, fromCatalogue: source)
            try checkRoundTrip(kind.name, CatalogueMapping.object(kind, toCatalogue: entry), source)
            let served: JSONObject? =
                switch kind {
                case .artwork: ServingForm.artwork(entry.body)
                case .show: ServingForm.show(entry.body)
                default: nil
                }
            try FuzzFinding.unless(served == nil, "An imported \(kind.name) is its own serving form.")
        }
        guard let document = try? CatalogueMapping.document(fromCatalogue: source, partner: "p") else {
            return
        }
        try checkRoundTrip("document", CatalogueMapping.object(toCatalogue: document), source)
    }

    private static func checkRoundTrip(_ kind: String, _ back: JSONObject, _ source: JSONObject)
        throws(FuzzFinding)
    {
        try FuzzFinding.unless(back == source, "A \(kind) that is imported and exported is the same.")
    }
}
