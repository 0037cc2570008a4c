extension CatalogueMapping {
    private static let artistNames = [
        (from: "sort_name", to: "sortable_id"), (from: "dates_text", to: "years"),
        (from: "birth_year", to: "birthday"), (from: "death_year", to: "deathday"),
    ]

    public static func artist(fromCatalogue source: JSONObject) -> JSONObject {
        var body = unparked(source)
        rename(&body, artistNames)
        return parking(source, body, back: mappedArtist(body))
    }

    public static func artist(toCatalogue body: JSONObject) -> JSONObject {
        restoring(mappedArtist(body), from: body)
    }

    private static func mappedArtist(_ body: JSONObject) -> JSONObject {
        var result = unparked(body)
        for (field, year) in [("birthday", "birth_year"), ("deathday", "death_year")] {
            guard let day = result[field] else { continue }
            if case .string(let text) = day {
                // A year in words is a year; a whole date keeps the API's name, since a year would say less.
                guard let number = JSONNumber(lexeme: text), number.intValue != nil else { continue }
                result[year] = .number(number)
            } else {
                result[year] = day
            }
            result[field] = nil
        }
        rename(&result, inverse(Array(artistNames.prefix(2))))
        return result
    }

    /// An album's body, and its list in order.
    public static func album(
        fromCatalogue source: JSONObject
    ) -> (body: JSONObject, artworkIDs: [String]) {
        var body = unparked(source)
        let artworkIDs = ids(body.removeValue(forKey: "artwork_ids"))
        return (parking(source, body, back: mappedAlbum(body, artworkIDs)), artworkIDs)
    }

    public static func album(toCatalogue body: JSONObject, artworkIDs: [String]) -> JSONObject {
        restoring(mappedAlbum(body, artworkIDs), from: body)
    }

    private static func mappedAlbum(_ body: JSONObject, _ artworkIDs: [String]) -> JSONObject {
        var result = unparked(body)
        result["artwork_ids"] = array(artworkIDs)
        return result
    }

    public static func location(fromCatalogue source: JSONObject) -> JSONObject {
        let body = unparked(source)
        return parking(source, body, back: body)
    }

    public static func location(toCatalogue body: JSONObject) -> JSONObject {
        restoring(unparked(body), from: body)
    }
}
