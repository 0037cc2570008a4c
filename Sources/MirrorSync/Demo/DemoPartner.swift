extension DemoCatalogue {
    /// The partner's one object.
    static let partner = #"""
        {"id": "demo", "slug": "demo", "name": "The Open Gallery", "type": "museum", "website": \#
        "https://example.org/open-gallery", "region": "Europe", "catalogue": "demo", "counts": \#
        {"artists": 24, "artworks": 41, "shows": 2, "albums": 4, "locations": 6}, "note": "A fictional \#
        museum that exists for demonstrations. The works, their makers, dates, media and sizes are \#
        real, and `collection` names where each one really is; rooms, shows, albums and documents are \#
        made up.", "licence": "CC0 1.0", "licence_url": \#
        "https://creativecommons.org/publicdomain/zero/1.0/", "slugs": "the museum's own"}
        """#
}
