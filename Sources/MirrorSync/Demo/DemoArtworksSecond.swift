extension DemoCatalogue {
    /// The artworks' lines, the second third by id.
    static let artworksSecond = #"""
        {"id": "self-portrait-as-the-allegory-of-painting", "slug": \#
        "self-portrait-as-the-allegory-of-painting", "title": "Self-Portrait as the Allegory of \#
        Painting (La Pittura)", "artist_ids": ["artemisia-gentileschi"], "date_text": "c. 1638–1639", \#
        "date_start": 1638, "date_end": 1639, "medium": "Oil on canvas", "category": "Painting", \#
        "dimensions_text": "98.6 × 75.2 cm", "collection": "Royal Collection, United Kingdom", \#
        "location_id": "room-3", "on_view": true, "public_domain": true, "images": [{"id": \#
        "self-portrait-as-the-allegory-of-painting-1", "url": \#
        "https://example.org/open-gallery/self-portrait-as-the-allegory-of-painting-1.jpg", "width": \#
        2288, "height": 3000, "aspect_ratio": 0.7627, "is_primary": true}]}
        {"id": "self-portrait-with-two-circles", "slug": "self-portrait-with-two-circles", "title": \#
        "Self-Portrait with Two Circles", "artist_ids": ["rembrandt-van-rijn"], "date_text": "c. \#
        1665–1669", "date_start": 1665, "date_end": 1669, "medium": "Oil on canvas", "category": \#
        "Painting", "dimensions_text": "114.3 × 94 cm", "collection": "Kenwood House, London", \#
        "location_id": "room-2", "on_view": true, "public_domain": true, "images": [{"id": \#
        "self-portrait-with-two-circles-1", "url": \#
        "https://example.org/open-gallery/self-portrait-with-two-circles-1.jpg", "width": 2467, \#
        "height": 3000, "aspect_ratio": 0.8223, "is_primary": true}]}
        {"id": "sudden-shower-over-shin-ohashi-bridge", "slug": \#
        "sudden-shower-over-shin-ohashi-bridge", "title": "Sudden Shower over Shin-Ōhashi Bridge and \#
        Atake", "artist_ids": ["utagawa-hiroshige"], "date_text": "1857", "date_start": 1857, \#
        "date_end": 1857, "medium": "Colour woodblock print, ink and colour on paper", "category": \#
        "Print", "dimensions_text": "About 34 × 23 cm (vertical ōban)", "collection": "Impressions in \#
        many collections, among them the Brooklyn Museum, New York", "series": "One Hundred Famous \#
        Views of Edo", "location_id": "exhibition-hall", "on_view": true, "public_domain": true, \#
        "images": [{"id": "sudden-shower-over-shin-ohashi-bridge-1", "url": \#
        "https://example.org/open-gallery/sudden-shower-over-shin-ohashi-bridge-1.jpg", "width": 2029, \#
        "height": 3000, "aspect_ratio": 0.6763, "is_primary": true}, {"id": \#
        "sudden-shower-over-shin-ohashi-bridge-2", "url": \#
        "https://example.org/open-gallery/sudden-shower-over-shin-ohashi-bridge-2.jpg", "width": 2400, \#
        "height": 1800, "aspect_ratio": 1.3333, "caption": "Detail"}], "edition_sets": [{"id": \#
        "sudden-shower-first", "edition_size": "unnumbered", "editions": "First printing, 1857", \#
        "availability": "permanent collection"}, {"id": "sudden-shower-later", "edition_size": \#
        "unnumbered", "editions": "Later printings", "availability": "permanent collection"}]}
        {"id": "sunflowers", "slug": "sunflowers", "title": "Sunflowers", "artist_ids": \#
        ["vincent-van-gogh"], "date_text": "1888", "date_start": 1888, "date_end": 1888, "medium": "Oil \#
        on canvas", "category": "Painting", "dimensions_text": "92.1 × 73 cm", "collection": "The \#
        National Gallery, London", "location_id": "room-4", "on_view": true, "public_domain": true, \#
        "images": [{"id": "sunflowers-1", "url": "https://example.org/open-gallery/sunflowers-1.jpg", \#
        "width": 2378, "height": 3000, "aspect_ratio": 0.7927, "is_primary": true}, {"id": \#
        "sunflowers-2", "url": "https://example.org/open-gallery/sunflowers-2.jpg", "width": 2400, \#
        "height": 1800, "aspect_ratio": 1.3333, "caption": "Detail"}]}
        {"id": "the-arnolfini-portrait", "slug": "the-arnolfini-portrait", "title": "The Arnolfini \#
        Portrait", "artist_ids": ["jan-van-eyck"], "date_text": "1434", "date_start": 1434, "date_end": \#
        1434, "medium": "Oil on oak panel", "category": "Painting", "dimensions_text": "82.2 × 60 cm", \#
        "collection": "The National Gallery, London", "additional_information": "Signed above the \#
        mirror: Johannes de eyck fuit hic 1434.", "location_id": "room-1", "on_view": true, \#
        "public_domain": true, "images": [{"id": "the-arnolfini-portrait-1", "url": \#
        "https://example.org/open-gallery/the-arnolfini-portrait-1.jpg", "width": 2190, "height": 3000, \#
        "aspect_ratio": 0.73, "is_primary": true}, {"id": "the-arnolfini-portrait-2", "url": \#
        "https://example.org/open-gallery/the-arnolfini-portrait-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}, {"id": "the-arnolfini-portrait-3", "url": \#
        "https://example.org/open-gallery/the-arnolfini-portrait-3.jpg", "width": 1912, "height": 2560, \#
        "aspect_ratio": 0.7469, "caption": "In its frame"}]}
        {"id": "the-basket-of-apples", "slug": "the-basket-of-apples", "title": "The Basket of Apples", \#
        "artist_ids": ["paul-cezanne"], "date_text": "c. 1893", "date_start": 1893, "date_end": 1893, \#
        "medium": "Oil on canvas", "category": "Painting", "dimensions_text": "65 × 80 cm", \#
        "collection": "The Art Institute of Chicago", "location_id": "room-4", "on_view": true, \#
        "public_domain": true, "images": [{"id": "the-basket-of-apples-1", "url": \#
        "https://example.org/open-gallery/the-basket-of-apples-1.jpg", "width": 3000, "height": 2438, \#
        "aspect_ratio": 1.2305, "is_primary": true}]}
        {"id": "the-birth-of-venus", "slug": "the-birth-of-venus", "title": "The Birth of Venus", \#
        "artist_ids": ["sandro-botticelli"], "date_text": "c. 1485", "date_start": 1484, "date_end": \#
        1486, "medium": "Tempera on canvas", "category": "Painting", "dimensions_text": "172.5 × 278.5 \#
        cm", "collection": "Gallerie degli Uffizi, Florence", "availability": "permanent collection", \#
        "location_id": "room-1", "on_view": true, "public_domain": true, "images": [{"id": \#
        "the-birth-of-venus-1", "url": "https://example.org/open-gallery/the-birth-of-venus-1.jpg", \#
        "width": 3000, "height": 1858, "aspect_ratio": 1.6146, "is_primary": true}, {"id": \#
        "the-birth-of-venus-2", "url": "https://example.org/open-gallery/the-birth-of-venus-2.jpg", \#
        "width": 2400, "height": 1800, "aspect_ratio": 1.3333, "caption": "Detail"}, {"id": \#
        "the-birth-of-venus-3", "url": "https://example.org/open-gallery/the-birth-of-venus-3.jpg", \#
        "width": 2560, "height": 1646, "aspect_ratio": 1.5553, "caption": "In its frame"}]}
        {"id": "the-childs-bath", "slug": "the-childs-bath", "title": "The Child's Bath", "artist_ids": \#
        ["mary-cassatt"], "date_text": "1893", "date_start": 1893, "date_end": 1893, "medium": "Oil on \#
        canvas", "category": "Painting", "dimensions_text": "100.3 × 66.1 cm", "collection": "The Art \#
        Institute of Chicago", "availability": "permanent collection", "location_id": "room-4", \#
        "on_view": true, "public_domain": true, "images": [{"id": "the-childs-bath-1", "url": \#
        "https://example.org/open-gallery/the-childs-bath-1.jpg", "width": 1977, "height": 3000, \#
        "aspect_ratio": 0.659, "is_primary": true}]}
        {"id": "the-cradle", "slug": "the-cradle", "title": "The Cradle", "artist_ids": \#
        ["berthe-morisot"], "date_text": "1872", "date_start": 1872, "date_end": 1872, "medium": "Oil \#
        on canvas", "category": "Painting", "dimensions_text": "56 × 46.5 cm", "collection": "Musée \#
        d'Orsay, Paris", "location_id": "room-4", "on_view": true, "public_domain": true, "images": \#
        [{"id": "the-cradle-1", "url": "https://example.org/open-gallery/the-cradle-1.jpg", "width": \#
        2491, "height": 3000, "aspect_ratio": 0.8303, "is_primary": true}]}
        {"id": "the-feast-of-the-gods", "slug": "the-feast-of-the-gods", "title": "The Feast of the \#
        Gods", "artist_ids": ["giovanni-bellini", "titian"], "date_text": "1514/1529", "date_start": \#
        1514, "date_end": 1529, "medium": "Oil on canvas", "category": "Painting", "dimensions_text": \#
        "170.2 × 188 cm", "collection": "National Gallery of Art, Washington", \#
        "additional_information": "Bellini finished it in 1514; Titian later repainted much of the \#
        landscape.", "location_id": "room-3", "on_view": true, "public_domain": true, "images": [{"id": \#
        "the-feast-of-the-gods-1", "url": \#
        "https://example.org/open-gallery/the-feast-of-the-gods-1.jpg", "width": 3000, "height": 2716, \#
        "aspect_ratio": 1.1046, "is_primary": true}, {"id": "the-feast-of-the-gods-2", "url": \#
        "https://example.org/open-gallery/the-feast-of-the-gods-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}]}
        {"id": "the-fighting-temeraire", "slug": "the-fighting-temeraire", "title": "The Fighting \#
        Temeraire, Tugged to Her Last Berth to Be Broken Up, 1838", "artist_ids": ["j-m-w-turner"], \#
        "date_text": "1839", "date_start": 1839, "date_end": 1839, "medium": "Oil on canvas", \#
        "category": "Painting", "dimensions_text": "90.7 × 121.6 cm", "collection": "The National \#
        Gallery, London", "location_id": "exhibition-hall", "on_view": true, "public_domain": true, \#
        "images": [{"id": "the-fighting-temeraire-1", "url": \#
        "https://example.org/open-gallery/the-fighting-temeraire-1.jpg", "width": 3000, "height": 2238, \#
        "aspect_ratio": 1.3405, "is_primary": true}, {"id": "the-fighting-temeraire-2", "url": \#
        "https://example.org/open-gallery/the-fighting-temeraire-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}]}
        {"id": "the-garden-of-eden-with-the-fall-of-man", "slug": \#
        "the-garden-of-eden-with-the-fall-of-man", "title": "The Garden of Eden with the Fall of Man", \#
        "artist_ids": ["jan-brueghel-the-elder", "peter-paul-rubens"], "date_text": "c. 1615", \#
        "date_start": 1615, "date_end": 1615, "medium": "Oil on panel", "category": "Painting", \#
        "dimensions_text": "74.3 × 114.7 cm", "collection": "Mauritshuis, The Hague", \#
        "additional_information": "Rubens painted Adam and Eve, the tree, the horse and the serpent; \#
        Brueghel the rest.", "location_id": "room-3", "on_view": true, "public_domain": true, "images": \#
        [{"id": "the-garden-of-eden-with-the-fall-of-man-1", "url": \#
        "https://example.org/open-gallery/the-garden-of-eden-with-the-fall-of-man-1.jpg", "width": \#
        3000, "height": 1943, "aspect_ratio": 1.544, "is_primary": true}, {"id": \#
        "the-garden-of-eden-with-the-fall-of-man-2", "url": \#
        "https://example.org/open-gallery/the-garden-of-eden-with-the-fall-of-man-2.jpg", "width": \#
        2400, "height": 1800, "aspect_ratio": 1.3333, "caption": "Detail"}]}
        {"id": "the-hunters-in-the-snow", "slug": "the-hunters-in-the-snow", "title": "The Hunters in \#
        the Snow", "artist_ids": ["pieter-bruegel-the-elder"], "date_text": "1565", "date_start": 1565, \#
        "date_end": 1565, "medium": "Oil on oak panel", "category": "Painting", "dimensions_text": \#
        "116.5 × 162 cm", "collection": "Kunsthistorisches Museum, Vienna", "location_id": \#
        "exhibition-hall", "on_view": true, "public_domain": true, "images": [{"id": \#
        "the-hunters-in-the-snow-1", "url": \#
        "https://example.org/open-gallery/the-hunters-in-the-snow-1.jpg", "width": 3000, "height": \#
        2157, "aspect_ratio": 1.3908, "is_primary": true}, {"id": "the-hunters-in-the-snow-2", "url": \#
        "https://example.org/open-gallery/the-hunters-in-the-snow-2.jpg", "width": 2400, "height": \#
        1800, "aspect_ratio": 1.3333, "caption": "Detail"}]}
        {"id": "the-letter", "slug": "the-letter", "title": "The Letter", "artist_ids": \#
        ["mary-cassatt"], "date_text": "1890–1891", "date_start": 1890, "date_end": 1891, "medium": \#
        "Colour drypoint, soft-ground etching and aquatint", "category": "Print", "dimensions_text": \#
        "Plate about 34.5 × 22.5 cm", "collection": "Impressions in many collections, among them the \#
        National Gallery of Art, Washington", "location_id": "print-room", "on_view": true, \#
        "public_domain": true, "images": [{"id": "the-letter-1", "url": \#
        "https://example.org/open-gallery/the-letter-1.jpg", "width": 1957, "height": 3000, \#
        "aspect_ratio": 0.6523, "is_primary": true}, {"id": "the-letter-2", "url": \#
        "https://example.org/open-gallery/the-letter-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}], "edition_sets": [{"id": "the-letter-edition", \#
        "edition_size": "25", "editions": "Edition of 1891, printed by the artist with Leroy", \#
        "availability": "permanent collection"}]}
        """#
}
