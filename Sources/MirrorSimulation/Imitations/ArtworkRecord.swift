import Catalogue

/// An artwork with all that a museum's record of it contains, read from the catalogue.
struct ArtworkRecord {
    struct Maker {
        let number: Int
        let name: String
        let sortName: String
        let role: String?
        let nationality: String?
        let gender: String?
        let birthYear: Int?
        let deathYear: Int?

        /// `Dutch, 1770–1830`, as far as it is known; an empty text if nothing is.
        var origin: String {
            let years = birthYear.map { "\($0)–\(deathYear.map(String.init) ?? "")" }
            return [nationality, years].compactMap(\.self).joined(separator: ", ")
        }

        init(_ entry: ImitatedCatalogue.Entry, role: String? = nil) {
            let artist = entry.object
            number = entry.number
            name = artist["name"]?.stringValue ?? "Unnamed"
            sortName = artist["sort_name"]?.stringValue ?? name
            self.role = role
            nationality = artist["nationality"]?.stringValue
            gender = artist["gender"]?.stringValue
            birthYear = artist["birth_year"]?.numberValue?.intValue
            deathYear = artist["death_year"]?.numberValue?.intValue
        }
    }

    struct Picture {
        /// Unique in the catalogue: the artwork's number, and a hash of the picture's id.
        let id: String
        let width: Int
        let height: Int
        var aspectRatio: Double { Double(width) / Double(height) }
    }

    struct Gallery {
        let number: Int
        let name: String
    }

    /// A department of the museum, made from its name.
    struct Department {
        let name: String

        /// From 1 to 99,999. Two of ten departments have the same number with a probability of one in two thousand; then they are
        /// selected together.
        var number: Int { 1 + Int(MuseumNumber.hash(name) % 99_999) }

        init(_ name: String) { self.name = name }

        /// The department of an artwork: that of the catalogue, else the artwork's category; `nil` if it has neither.
        init?(of artwork: JSONObject) {
            let names = [artwork["department"]?.stringValue, artwork["category"]?.stringValue]
            guard let name = names.compactMap(\.self).first(where: { !$0.isEmpty }) else { return nil }
            self.name = name
        }
    }

    let id: String
    let number: Int
    let object: JSONObject
    let modified: Timestamp
    let restamped: Timestamp
    let makers: [Maker]
    let pictures: [Picture]
    let gallery: Gallery?
    let isOnView: Bool
    /// The catalogue's own statement, else one artwork in three is not in the public domain, by its id.
    let isPublicDomain: Bool

    /// An artwork of the catalogue; `nil` if it has none with this id.
    init?(_ id: String, in catalogue: ImitatedCatalogue) {
        guard let entry = catalogue.entry(.artwork, id) else { return nil }
        self.id = id
        (number, object) = (entry.number, entry.object)
        (modified, restamped) = (entry.modified, entry.restamped)
        let roles = object["artist_roles"]?.arrayValue?.map(\.stringValue) ?? []
        var seen: Set<String> = []
        makers = ImitatedCatalogue.ids(object, "artist_ids").enumerated().compactMap { place, artist in
            // A catalogue may name an artist who is not in it.
            guard let entry = catalogue.entry(.artist, artist), seen.insert(artist).inserted else {
                return nil
            }
            return Maker(entry, role: place < roles.count ? roles[place] : nil)
        }
        let number = entry.number
        pictures = (object["images"]?.arrayValue ?? []).map { image in
            let name = image.objectValue?["id"]?.idText ?? image.objectValue?["url"]?.stringValue ?? ""
            func pixels(_ field: String) -> Int? {
                image.objectValue?[field]?.numberValue?.intValue
                    .flatMap { (1...1_000_000).contains($0) ? $0 : nil }
            }
            return Picture(
                id: "\(number)-\(MuseumNumber.hash(name) % 0x1_0000_0000)",
                width: pixels("width") ?? 3_000, height: pixels("height") ?? 2_000)
        }
        let location = object["location_id"]?.idText.flatMap { catalogue.entry(.location, $0) }
        let name = location?.object["name"]?.stringValue
        isOnView =
            object["on_view"]?.boolValue
            ?? (name.map { $0.lowercased().contains("not on view") == false } ?? false)
        gallery = location.flatMap { location in
            name.map { Gallery(number: location.number, name: $0) }
        }
        isPublicDomain = object["public_domain"]?.boolValue ?? (MuseumNumber.hash(id) % 3 != 0)
    }

    var department: Department? { Department(of: object) }

    /// A text of the catalogue; `nil` if it is missing or empty.
    func text(_ field: String) -> String? {
        object[field]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A year, from a number or from a date.
    func year(_ field: String) -> Int? {
        object[field]?.numberValue?.intValue ?? text(field).flatMap { Int($0.prefix(4)) }
    }

    /// A length in centimetres.
    func centimetres(_ field: String) -> Double? {
        let factors = ["mm": 0.1, "in": 2.54, "cm": 1]
        guard let value = object[field]?.numberValue?.doubleValue, let unit = text("units"),
            let factor = factors[unit]
        else { return nil }
        return value * factor
    }

    /// The catalogue's text, else one that is made from the lengths; `nil` if neither is known.
    var dimensions: String? {
        if let text = text("dimensions_text") { return text }
        let lengths = ["height", "width", "depth"].compactMap { centimetres($0) }
        guard !lengths.isEmpty else { return nil }
        return lengths.map { "\(($0 * 10).rounded() / 10)" }.joined(separator: " × ") + " cm"
    }

    /// The picture with this id; `nil` if the catalogue has none.
    static func picture(
        _ id: some StringProtocol, in catalogue: ImitatedCatalogue
    ) -> (artwork: ArtworkRecord, picture: Picture)? {
        guard let number = Int(id.prefix { $0 != "-" }), let artwork = catalogue.id(.artwork, number: number),
            let record = ArtworkRecord(artwork, in: catalogue),
            let picture = record.pictures.first(where: { $0.id == id })
        else { return nil }
        return (record, picture)
    }
}
