extension DemoCatalogue {
    /// The artworks' lines, the last third by id.
    static let artworksThird = #"""
        {"id": "the-milkmaid", "slug": "the-milkmaid", "title": "The Milkmaid", "artist_ids": \#
        ["johannes-vermeer"], "date_text": "c. 1660", "date_start": 1658, "date_end": 1661, "medium": \#
        "Oil on canvas", "category": "Painting", "dimensions_text": "45.5 × 41 cm", "collection": \#
        "Rijksmuseum, Amsterdam", "location_id": "room-2", "on_view": true, "public_domain": true, \#
        "images": [{"id": "the-milkmaid-1", "url": \#
        "https://example.org/open-gallery/the-milkmaid-1.jpg", "width": 2703, "height": 3000, \#
        "aspect_ratio": 0.901, "is_primary": true}, {"id": "the-milkmaid-2", "url": \#
        "https://example.org/open-gallery/the-milkmaid-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}]}
        {"id": "the-night-watch", "slug": "the-night-watch", "title": "The Night Watch", "artist_ids": \#
        ["rembrandt-van-rijn"], "date_text": "1642", "date_start": 1642, "date_end": 1642, "medium": \#
        "Oil on canvas", "category": "Painting", "dimensions_text": "379.5 × 453.5 cm", "collection": \#
        "Rijksmuseum, Amsterdam", "additional_information": "Officially Militia Company of District II \#
        under the Command of Captain Frans Banninck Cocq. Strips were cut from all four sides in \#
        1715.", "location_id": "room-2", "on_view": true, "public_domain": true, "images": [{"id": \#
        "the-night-watch-1", "url": "https://example.org/open-gallery/the-night-watch-1.jpg", "width": \#
        3000, "height": 2510, "aspect_ratio": 1.1952, "is_primary": true}, {"id": "the-night-watch-2", \#
        "url": "https://example.org/open-gallery/the-night-watch-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}, {"id": "the-night-watch-3", "url": \#
        "https://example.org/open-gallery/the-night-watch-3.jpg", "width": 2560, "height": 2168, \#
        "aspect_ratio": 1.1808, "caption": "In its frame"}]}
        {"id": "the-rhinoceros", "slug": "the-rhinoceros", "title": "The Rhinoceros", "artist_ids": \#
        ["albrecht-durer"], "date_text": "1515", "date_start": 1515, "date_end": 1515, "medium": \#
        "Woodcut", "category": "Print", "dimensions_text": "23.5 × 29.8 cm", "collection": "Impressions \#
        in many collections, among them the National Gallery of Art, Washington", \#
        "additional_information": "Drawn in Nuremberg from a sketch and a letter. Dürer never saw the \#
        animal.", "location_id": "print-room", "on_view": true, "public_domain": true, "images": \#
        [{"id": "the-rhinoceros-1", "url": "https://example.org/open-gallery/the-rhinoceros-1.jpg", \#
        "width": 3000, "height": 2366, "aspect_ratio": 1.268, "is_primary": true}], "edition_sets": \#
        [{"id": "rhinoceros-1515", "edition_size": "unnumbered", "editions": "First edition, 1515", \#
        "availability": "permanent collection"}, {"id": "rhinoceros-posthumous", "edition_size": \#
        "unnumbered", "editions": "Later editions, with the block already cracked", "availability": \#
        "permanent collection"}]}
        {"id": "the-sense-of-sight", "slug": "the-sense-of-sight", "title": "The Sense of Sight", \#
        "artist_ids": ["jan-brueghel-the-elder", "peter-paul-rubens"], "date_text": "1617", \#
        "date_start": 1617, "date_end": 1617, "medium": "Oil on panel", "category": "Painting", \#
        "dimensions_text": "64.7 × 109.5 cm", "collection": "Museo del Prado, Madrid", "series": "The \#
        Five Senses", "location_id": "room-3", "on_view": true, "public_domain": true, "images": \#
        [{"id": "the-sense-of-sight-1", "url": \#
        "https://example.org/open-gallery/the-sense-of-sight-1.jpg", "width": 3000, "height": 1773, \#
        "aspect_ratio": 1.692, "is_primary": true}]}
        {"id": "the-sleep-of-reason-produces-monsters", "slug": \#
        "the-sleep-of-reason-produces-monsters", "title": "The Sleep of Reason Produces Monsters", \#
        "artist_ids": ["francisco-goya"], "date_text": "1797–1799", "date_start": 1797, "date_end": \#
        1799, "medium": "Etching and aquatint", "category": "Print", "dimensions_text": "Plate 21.2 × \#
        15.1 cm", "collection": "Impressions in many collections, among them the Museo del Prado, \#
        Madrid", "series": "Los Caprichos, plate 43", "location_id": "print-room", "on_view": true, \#
        "public_domain": true, "images": [{"id": "the-sleep-of-reason-produces-monsters-1", "url": \#
        "https://example.org/open-gallery/the-sleep-of-reason-produces-monsters-1.jpg", "width": 2137, \#
        "height": 3000, "aspect_ratio": 0.7123, "is_primary": true}, {"id": \#
        "the-sleep-of-reason-produces-monsters-2", "url": \#
        "https://example.org/open-gallery/the-sleep-of-reason-produces-monsters-2.jpg", "width": 2400, \#
        "height": 1800, "aspect_ratio": 1.3333, "caption": "Detail"}], "edition_sets": [{"id": \#
        "caprichos-first-edition", "edition_size": "about 300 sets", "editions": "First edition, \#
        Madrid, 1799", "availability": "permanent collection"}]}
        {"id": "the-starry-night", "slug": "the-starry-night", "title": "The Starry Night", \#
        "artist_ids": ["vincent-van-gogh"], "date_text": "1889", "date_start": 1889, "date_end": 1889, \#
        "medium": "Oil on canvas", "category": "Painting", "dimensions_text": "73.7 × 92.1 cm", \#
        "collection": "The Museum of Modern Art, New York", "availability": "on loan", "location_id": \#
        "exhibition-hall", "on_view": true, "public_domain": true, "images": [{"id": \#
        "the-starry-night-1", "url": "https://example.org/open-gallery/the-starry-night-1.jpg", \#
        "width": 3000, "height": 2401, "aspect_ratio": 1.2495, "is_primary": true}, {"id": \#
        "the-starry-night-2", "url": "https://example.org/open-gallery/the-starry-night-2.jpg", \#
        "width": 2400, "height": 1800, "aspect_ratio": 1.3333, "caption": "Detail"}, {"id": \#
        "the-starry-night-3", "url": "https://example.org/open-gallery/the-starry-night-3.jpg", \#
        "width": 2560, "height": 2081, "aspect_ratio": 1.2302, "caption": "In its frame"}]}
        {"id": "the-third-of-may-1808", "slug": "the-third-of-may-1808", "title": "The Third of May \#
        1808", "artist_ids": ["francisco-goya"], "date_text": "1814", "date_start": 1814, "date_end": \#
        1814, "medium": "Oil on canvas", "category": "Painting", "dimensions_text": "268 × 347 cm", \#
        "collection": "Museo del Prado, Madrid", "location_id": "room-3", "on_view": true, \#
        "public_domain": true, "images": [{"id": "the-third-of-may-1808-1", "url": \#
        "https://example.org/open-gallery/the-third-of-may-1808-1.jpg", "width": 3000, "height": 2317, \#
        "aspect_ratio": 1.2948, "is_primary": true}]}
        {"id": "the-three-trees", "slug": "the-three-trees", "title": "The Three Trees", "artist_ids": \#
        ["rembrandt-van-rijn"], "date_text": "1643", "date_start": 1643, "date_end": 1643, "medium": \#
        "Etching with drypoint and engraving", "category": "Print", "dimensions_text": "21.3 × 27.9 \#
        cm", "collection": "Impressions in many collections, among them the Rijksmuseum, Amsterdam", \#
        "location_id": "print-room", "on_view": true, "public_domain": true, "images": [{"id": \#
        "the-three-trees-1", "url": "https://example.org/open-gallery/the-three-trees-1.jpg", "width": \#
        3000, "height": 2290, "aspect_ratio": 1.31, "is_primary": true}], "edition_sets": [{"id": \#
        "the-three-trees-lifetime", "edition_size": "unnumbered", "availability": "permanent \#
        collection"}]}
        {"id": "under-the-wave-off-kanagawa", "slug": "under-the-wave-off-kanagawa", "title": "Under \#
        the Wave off Kanagawa (The Great Wave)", "artist_ids": ["katsushika-hokusai"], "date_text": "c. \#
        1830–1832", "date_start": 1830, "date_end": 1832, "medium": "Colour woodblock print, ink and \#
        colour on paper", "category": "Print", "dimensions_text": "25.7 × 37.9 cm (horizontal ōban)", \#
        "collection": "Impressions in many collections, among them The Metropolitan Museum of Art, New \#
        York", "series": "Thirty-Six Views of Mount Fuji", "location_id": "exhibition-hall", "on_view": \#
        true, "public_domain": true, "images": [{"id": "under-the-wave-off-kanagawa-1", "url": \#
        "https://example.org/open-gallery/under-the-wave-off-kanagawa-1.jpg", "width": 3000, "height": \#
        2034, "aspect_ratio": 1.4749, "is_primary": true}, {"id": "under-the-wave-off-kanagawa-2", \#
        "url": "https://example.org/open-gallery/under-the-wave-off-kanagawa-2.jpg", "width": 2400, \#
        "height": 1800, "aspect_ratio": 1.3333, "caption": "Detail"}], "edition_sets": [{"id": \#
        "great-wave-early", "edition_size": "unnumbered", "editions": "Early impressions, the lines of \#
        the title's cartouche unbroken", "availability": "permanent collection"}, {"id": \#
        "great-wave-later", "edition_size": "unnumbered", "editions": "Later impressions from the worn \#
        blocks", "availability": "permanent collection"}]}
        {"id": "view-of-delft", "slug": "view-of-delft", "title": "View of Delft", "artist_ids": \#
        ["johannes-vermeer"], "date_text": "c. 1660–1661", "date_start": 1660, "date_end": 1661, \#
        "medium": "Oil on canvas", "category": "Painting", "dimensions_text": "96.5 × 115.7 cm", \#
        "collection": "Mauritshuis, The Hague", "availability": "on loan", "location_id": \#
        "exhibition-hall", "on_view": true, "public_domain": true, "images": [{"id": "view-of-delft-1", \#
        "url": "https://example.org/open-gallery/view-of-delft-1.jpg", "width": 3000, "height": 2502, \#
        "aspect_ratio": 1.199, "is_primary": true}, {"id": "view-of-delft-2", "url": \#
        "https://example.org/open-gallery/view-of-delft-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}]}
        {"id": "water-lilies", "slug": "water-lilies", "title": "Water Lilies", "artist_ids": \#
        ["claude-monet"], "date_text": "1906", "date_start": 1906, "date_end": 1906, "medium": "Oil on \#
        canvas", "category": "Painting", "dimensions_text": "89.9 × 94.1 cm", "collection": "The Art \#
        Institute of Chicago", "location_id": "room-4", "on_view": true, "public_domain": true, \#
        "images": [{"id": "water-lilies-1", "url": \#
        "https://example.org/open-gallery/water-lilies-1.jpg", "width": 3000, "height": 2866, \#
        "aspect_ratio": 1.0468, "is_primary": true}]}
        {"id": "wheatfield-with-crows", "slug": "wheatfield-with-crows", "title": "Wheatfield with \#
        Crows", "artist_ids": ["vincent-van-gogh"], "date_text": "1890", "date_start": 1890, \#
        "date_end": 1890, "medium": "Oil on canvas", "category": "Painting", "dimensions_text": "50.5 × \#
        103 cm", "collection": "Van Gogh Museum, Amsterdam", "location_id": "exhibition-hall", \#
        "on_view": true, "public_domain": true, "images": [{"id": "wheatfield-with-crows-1", "url": \#
        "https://example.org/open-gallery/wheatfield-with-crows-1.jpg", "width": 3000, "height": 1471, \#
        "aspect_ratio": 2.0394, "is_primary": true}]}
        {"id": "young-hare", "slug": "young-hare", "title": "Young Hare", "artist_ids": \#
        ["albrecht-durer"], "date_text": "1502", "date_start": 1502, "date_end": 1502, "medium": \#
        "Watercolour and bodycolour, heightened with white, on paper", "category": "Drawing", \#
        "dimensions_text": "25.1 × 22.6 cm", "collection": "Albertina, Vienna", "location_id": \#
        "room-1", "on_view": true, "public_domain": true, "images": [{"id": "young-hare-1", "url": \#
        "https://example.org/open-gallery/young-hare-1.jpg", "width": 2701, "height": 3000, \#
        "aspect_ratio": 0.9003, "is_primary": true}, {"id": "young-hare-2", "url": \#
        "https://example.org/open-gallery/young-hare-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}]}
        """#
}
