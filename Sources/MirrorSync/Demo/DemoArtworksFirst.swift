extension DemoCatalogue {
    /// The artworks' lines, the first third by id.
    static let artworksFirst = #"""
        {"id": "a-sunday-on-la-grande-jatte", "slug": "a-sunday-on-la-grande-jatte", "title": "A Sunday \#
        on La Grande Jatte — 1884", "artist_ids": ["georges-seurat"], "date_text": "1884–1886", \#
        "date_start": 1884, "date_end": 1886, "medium": "Oil on canvas", "category": "Painting", \#
        "dimensions_text": "207.5 × 308.1 cm", "collection": "The Art Institute of Chicago", \#
        "availability": "permanent collection", "location_id": "room-4", "on_view": true, \#
        "public_domain": true, "images": [{"id": "a-sunday-on-la-grande-jatte-1", "url": \#
        "https://example.org/open-gallery/a-sunday-on-la-grande-jatte-1.jpg", "width": 3000, "height": \#
        2020, "aspect_ratio": 1.4851, "is_primary": true}, {"id": "a-sunday-on-la-grande-jatte-2", \#
        "url": "https://example.org/open-gallery/a-sunday-on-la-grande-jatte-2.jpg", "width": 2400, \#
        "height": 1800, "aspect_ratio": 1.3333, "caption": "Detail"}, {"id": \#
        "a-sunday-on-la-grande-jatte-3", "url": \#
        "https://example.org/open-gallery/a-sunday-on-la-grande-jatte-3.jpg", "width": 2560, "height": \#
        1776, "aspect_ratio": 1.4414, "caption": "In its frame"}]}
        {"id": "arrangement-in-grey-and-black-no-1", "slug": "arrangement-in-grey-and-black-no-1", \#
        "title": "Arrangement in Grey and Black No. 1 (Portrait of the Artist's Mother)", "artist_ids": \#
        ["james-mcneill-whistler"], "date_text": "1871", "date_start": 1871, "date_end": 1871, \#
        "medium": "Oil on canvas", "category": "Painting", "dimensions_text": "144.3 × 163 cm", \#
        "collection": "Musée d'Orsay, Paris", "location_id": "room-4", "on_view": true, \#
        "public_domain": true, "images": [{"id": "arrangement-in-grey-and-black-no-1-1", "url": \#
        "https://example.org/open-gallery/arrangement-in-grey-and-black-no-1-1.jpg", "width": 3000, \#
        "height": 2656, "aspect_ratio": 1.1295, "is_primary": true}]}
        {"id": "bacchus-and-ariadne", "slug": "bacchus-and-ariadne", "title": "Bacchus and Ariadne", \#
        "artist_ids": ["titian"], "date_text": "1520–1523", "date_start": 1520, "date_end": 1523, \#
        "medium": "Oil on canvas", "category": "Painting", "dimensions_text": "176.5 × 191 cm", \#
        "collection": "The National Gallery, London", "location_id": "room-3", "on_view": true, \#
        "public_domain": true, "images": [{"id": "bacchus-and-ariadne-1", "url": \#
        "https://example.org/open-gallery/bacchus-and-ariadne-1.jpg", "width": 3000, "height": 2772, \#
        "aspect_ratio": 1.0823, "is_primary": true}, {"id": "bacchus-and-ariadne-2", "url": \#
        "https://example.org/open-gallery/bacchus-and-ariadne-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}]}
        {"id": "doge-leonardo-loredan", "slug": "doge-leonardo-loredan", "title": "Doge Leonardo \#
        Loredan", "artist_ids": ["giovanni-bellini"], "date_text": "c. 1501–1502", "date_start": 1501, \#
        "date_end": 1502, "medium": "Oil on poplar panel", "category": "Painting", "dimensions_text": \#
        "61.4 × 44.5 cm", "collection": "The National Gallery, London", "on_view": false, \#
        "public_domain": true, "images": [{"id": "doge-leonardo-loredan-1", "url": \#
        "https://example.org/open-gallery/doge-leonardo-loredan-1.jpg", "width": 2174, "height": 3000, \#
        "aspect_ratio": 0.7247, "is_primary": true}]}
        {"id": "fine-wind-clear-morning", "slug": "fine-wind-clear-morning", "title": "Fine Wind, Clear \#
        Morning (Red Fuji)", "artist_ids": ["katsushika-hokusai"], "date_text": "c. 1830–1832", \#
        "date_start": 1830, "date_end": 1832, "medium": "Colour woodblock print, ink and colour on \#
        paper", "category": "Print", "dimensions_text": "About 25 × 37 cm (horizontal ōban)", \#
        "collection": "Impressions in many collections, among them the British Museum, London", \#
        "series": "Thirty-Six Views of Mount Fuji", "location_id": "exhibition-hall", "on_view": true, \#
        "public_domain": true, "images": [{"id": "fine-wind-clear-morning-1", "url": \#
        "https://example.org/open-gallery/fine-wind-clear-morning-1.jpg", "width": 3000, "height": \#
        2027, "aspect_ratio": 1.48, "is_primary": true}], "edition_sets": [{"id": "red-fuji", \#
        "edition_size": "unnumbered", "availability": "permanent collection"}]}
        {"id": "girl-with-a-pearl-earring", "slug": "girl-with-a-pearl-earring", "title": "Girl with a \#
        Pearl Earring", "artist_ids": ["johannes-vermeer"], "date_text": "c. 1665", "date_start": 1664, \#
        "date_end": 1667, "medium": "Oil on canvas", "category": "Painting", "dimensions_text": "44.5 × \#
        39 cm", "collection": "Mauritshuis, The Hague", "availability": "permanent collection", \#
        "location_id": "room-2", "on_view": true, "public_domain": true, "images": [{"id": \#
        "girl-with-a-pearl-earring-1", "url": \#
        "https://example.org/open-gallery/girl-with-a-pearl-earring-1.jpg", "width": 2629, "height": \#
        3000, "aspect_ratio": 0.8763, "is_primary": true}, {"id": "girl-with-a-pearl-earring-2", "url": \#
        "https://example.org/open-gallery/girl-with-a-pearl-earring-2.jpg", "width": 2400, "height": \#
        1800, "aspect_ratio": 1.3333, "caption": "Detail"}, {"id": "girl-with-a-pearl-earring-3", \#
        "url": "https://example.org/open-gallery/girl-with-a-pearl-earring-3.jpg", "width": 2263, \#
        "height": 2560, "aspect_ratio": 0.884, "caption": "In its frame"}]}
        {"id": "impression-sunrise", "slug": "impression-sunrise", "title": "Impression, Sunrise", \#
        "artist_ids": ["claude-monet"], "date_text": "1872", "date_start": 1872, "date_end": 1872, \#
        "medium": "Oil on canvas", "category": "Painting", "dimensions_text": "50 × 65 cm", \#
        "collection": "Musée Marmottan Monet, Paris", "location_id": "exhibition-hall", "on_view": \#
        true, "public_domain": true, "images": [{"id": "impression-sunrise-1", "url": \#
        "https://example.org/open-gallery/impression-sunrise-1.jpg", "width": 3000, "height": 2308, \#
        "aspect_ratio": 1.2998, "is_primary": true}, {"id": "impression-sunrise-2", "url": \#
        "https://example.org/open-gallery/impression-sunrise-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}]}
        {"id": "las-meninas", "slug": "las-meninas", "title": "Las Meninas", "artist_ids": \#
        ["diego-velazquez"], "date_text": "1656", "date_start": 1656, "date_end": 1656, "medium": "Oil \#
        on canvas", "category": "Painting", "dimensions_text": "320.5 × 281.5 cm", "collection": "Museo \#
        del Prado, Madrid", "location_id": "room-3", "on_view": true, "public_domain": true, "images": \#
        [{"id": "las-meninas-1", "url": "https://example.org/open-gallery/las-meninas-1.jpg", "width": \#
        2635, "height": 3000, "aspect_ratio": 0.8783, "is_primary": true}, {"id": "las-meninas-2", \#
        "url": "https://example.org/open-gallery/las-meninas-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}, {"id": "las-meninas-3", "url": \#
        "https://example.org/open-gallery/las-meninas-3.jpg", "width": 2268, "height": 2560, \#
        "aspect_ratio": 0.8859, "caption": "In its frame"}]}
        {"id": "melencolia-i", "slug": "melencolia-i", "title": "Melencolia I", "artist_ids": \#
        ["albrecht-durer"], "date_text": "1514", "date_start": 1514, "date_end": 1514, "medium": \#
        "Engraving", "category": "Print", "dimensions_text": "24 × 18.5 cm", "collection": "Impressions \#
        in many collections, among them The Metropolitan Museum of Art, New York", "location_id": \#
        "print-room", "on_view": true, "public_domain": true, "images": [{"id": "melencolia-i-1", \#
        "url": "https://example.org/open-gallery/melencolia-i-1.jpg", "width": 2312, "height": 3000, \#
        "aspect_ratio": 0.7707, "is_primary": true}, {"id": "melencolia-i-2", "url": \#
        "https://example.org/open-gallery/melencolia-i-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}], "edition_sets": [{"id": \#
        "melencolia-i-first-state", "edition_size": "unnumbered", "editions": "First state, the 9 in \#
        the magic square reversed", "availability": "permanent collection"}, {"id": \#
        "melencolia-i-second-state", "edition_size": "unnumbered", "editions": "Second state, the 9 \#
        corrected", "availability": "permanent collection"}]}
        {"id": "mona-lisa", "slug": "mona-lisa", "title": "Mona Lisa (La Gioconda)", "artist_ids": \#
        ["leonardo-da-vinci"], "date_text": "c. 1503–1519", "date_start": 1503, "date_end": 1519, \#
        "medium": "Oil on poplar panel", "category": "Painting", "dimensions_text": "79.4 × 53.4 cm", \#
        "collection": "Musée du Louvre, Paris", "location_id": "room-1", "on_view": true, \#
        "public_domain": true, "images": [{"id": "mona-lisa-1", "url": \#
        "https://example.org/open-gallery/mona-lisa-1.jpg", "width": 2018, "height": 3000, \#
        "aspect_ratio": 0.6727, "is_primary": true}, {"id": "mona-lisa-2", "url": \#
        "https://example.org/open-gallery/mona-lisa-2.jpg", "width": 2400, "height": 1800, \#
        "aspect_ratio": 1.3333, "caption": "Detail"}]}
        {"id": "netherlandish-proverbs", "slug": "netherlandish-proverbs", "title": "Netherlandish \#
        Proverbs", "artist_ids": ["pieter-bruegel-the-elder"], "date_text": "1559", "date_start": 1559, \#
        "date_end": 1559, "medium": "Oil on oak panel", "category": "Painting", "dimensions_text": "117 \#
        × 163 cm", "collection": "Gemäldegalerie, Berlin", "location_id": "room-1", "on_view": true, \#
        "public_domain": true, "images": [{"id": "netherlandish-proverbs-1", "url": \#
        "https://example.org/open-gallery/netherlandish-proverbs-1.jpg", "width": 3000, "height": 2153, \#
        "aspect_ratio": 1.3934, "is_primary": true}]}
        {"id": "nocturne-venice", "slug": "nocturne-venice", "title": "Nocturne", "artist_ids": \#
        ["james-mcneill-whistler"], "date_text": "1879–1880", "date_start": 1879, "date_end": 1880, \#
        "medium": "Etching and drypoint", "category": "Print", "dimensions_text": "Plate about 20 × \#
        29.5 cm", "collection": "Impressions in many collections, among them the Freer Gallery of Art, \#
        Washington", "series": "First Venice Set", "location_id": "print-room", "on_view": true, \#
        "public_domain": true, "images": [{"id": "nocturne-venice-1", "url": \#
        "https://example.org/open-gallery/nocturne-venice-1.jpg", "width": 3000, "height": 2034, \#
        "aspect_ratio": 1.4749, "is_primary": true}], "edition_sets": [{"id": "first-venice-set", \#
        "edition_size": "100", "editions": "Venice, a Series of Twelve Etchings, 1880", "availability": \#
        "permanent collection"}]}
        {"id": "plum-estate-kameido", "slug": "plum-estate-kameido", "title": "Plum Estate, Kameido", \#
        "artist_ids": ["utagawa-hiroshige"], "date_text": "1857", "date_start": 1857, "date_end": 1857, \#
        "medium": "Colour woodblock print, ink and colour on paper", "category": "Print", \#
        "dimensions_text": "About 34 × 23 cm (vertical ōban)", "collection": "Impressions in many \#
        collections, among them the Brooklyn Museum, New York", "series": "One Hundred Famous Views of \#
        Edo", "additional_information": "Van Gogh copied it in oils in 1887.", "on_view": false, \#
        "public_domain": true, "images": [{"id": "plum-estate-kameido-1", "url": \#
        "https://example.org/open-gallery/plum-estate-kameido-1.jpg", "width": 2029, "height": 3000, \#
        "aspect_ratio": 0.6763, "is_primary": true}], "edition_sets": [{"id": "plum-estate", \#
        "edition_size": "unnumbered", "availability": "permanent collection"}]}
        {"id": "rain-steam-and-speed", "slug": "rain-steam-and-speed", "title": "Rain, Steam, and Speed \#
        – The Great Western Railway", "artist_ids": ["j-m-w-turner"], "date_text": "1844", \#
        "date_start": 1844, "date_end": 1844, "medium": "Oil on canvas", "category": "Painting", \#
        "dimensions_text": "91 × 121.8 cm", "collection": "The National Gallery, London", \#
        "location_id": "exhibition-hall", "on_view": true, "public_domain": true, "images": [{"id": \#
        "rain-steam-and-speed-1", "url": "https://example.org/open-gallery/rain-steam-and-speed-1.jpg", \#
        "width": 3000, "height": 2241, "aspect_ratio": 1.3387, "is_primary": true}]}
        """#
}
