extension DemoCatalogue {
    /// The albums' lines.
    static let albums = #"""
        {"id": "condition-checks-2027", "slug": "condition-checks-2027", "name": "Condition Checks \#
        2027", "description": "For the conservators: to be looked at under raking light before the next \#
        hang.", "private": true, "artwork_ids": ["doge-leonardo-loredan", "plum-estate-kameido", \#
        "the-cradle", "the-hunters-in-the-snow", "the-milkmaid"]}
        {"id": "highlights", "slug": "highlights", "name": "Highlights", "description": "One hour, ten \#
        works, no hurry.", "private": false, "artwork_ids": ["a-sunday-on-la-grande-jatte", \#
        "girl-with-a-pearl-earring", "las-meninas", "mona-lisa", "the-arnolfini-portrait", \#
        "the-birth-of-venus", "the-night-watch", "the-starry-night", "under-the-wave-off-kanagawa", \#
        "young-hare"]}
        {"id": "painted-together", "slug": "painted-together", "name": "Painted Together", \#
        "description": "Pictures on which two painters worked, and one can see where.", "private": \#
        false, "artwork_ids": ["the-feast-of-the-gods", "the-garden-of-eden-with-the-fall-of-man", \#
        "the-sense-of-sight"]}
        {"id": "works-on-paper", "slug": "works-on-paper", "name": "Works on Paper", "description": \#
        "Everything that may hang for three months only.", "private": false, "artwork_ids": \#
        ["fine-wind-clear-morning", "melencolia-i", "nocturne-venice", "plum-estate-kameido", \#
        "sudden-shower-over-shin-ohashi-bridge", "the-letter", "the-rhinoceros", \#
        "the-sleep-of-reason-produces-monsters", "the-three-trees", "under-the-wave-off-kanagawa", \#
        "young-hare"]}
        """#
}
