extension DemoCatalogue {
    /// The artists' lines.
    static let artists = #"""
        {"id": "albrecht-durer", "slug": "albrecht-durer", "name": "Albrecht Dürer", "sort_name": \#
        "Dürer, Albrecht", "birth_year": 1471, "death_year": 1528, "dates_text": "1471–1528", \#
        "nationality": "German", "birth_place": "Nuremberg", "blurb": "Painter, printmaker and \#
        theorist. He made the woodcut and the engraving travel: his sheets were known across Europe in \#
        his own lifetime, monogram and all."}
        {"id": "artemisia-gentileschi", "slug": "artemisia-gentileschi", "name": "Artemisia \#
        Gentileschi", "sort_name": "Gentileschi, Artemisia", "birth_year": 1593, "dates_text": \#
        "1593–after 1654", "nationality": "Italian", "birth_place": "Rome", "blurb": "Trained by her \#
        father Orazio, she worked in Rome, Florence, Naples and London, and was the first woman \#
        admitted to Florence's academy of drawing."}
        {"id": "berthe-morisot", "slug": "berthe-morisot", "name": "Berthe Morisot", "sort_name": \#
        "Morisot, Berthe", "birth_year": 1841, "death_year": 1895, "dates_text": "1841–1895", \#
        "nationality": "French", "birth_place": "Bourges", "blurb": "She showed in seven of the eight \#
        Impressionist exhibitions, and painted family and garden with a brush that hardly touches \#
        down."}
        {"id": "claude-monet", "slug": "claude-monet", "name": "Claude Monet", "sort_name": "Monet, \#
        Claude", "birth_year": 1840, "death_year": 1926, "dates_text": "1840–1926", "nationality": \#
        "French", "birth_place": "Paris", "blurb": "One of his harbour views gave Impressionism its \#
        name. Late in life he painted little but the pond that he had dug at Giverny."}
        {"id": "diego-velazquez", "slug": "diego-velazquez", "name": "Diego Velázquez", "sort_name": \#
        "Velázquez, Diego", "birth_year": 1599, "death_year": 1660, "dates_text": "1599–1660", \#
        "nationality": "Spanish", "birth_place": "Seville", "blurb": "Court painter to Philip IV. Seen \#
        close, his surfaces fall apart into strokes; from a few steps back they are silk, skin and \#
        air."}
        {"id": "francisco-goya", "slug": "francisco-goya", "name": "Francisco Goya", "sort_name": \#
        "Goya, Francisco", "birth_year": 1746, "death_year": 1828, "dates_text": "1746–1828", \#
        "nationality": "Spanish", "birth_place": "Fuendetodos", "blurb": "Tapestry designer, court \#
        painter, and the sharpest witness of his age's follies and wars, above all in his series of \#
        prints."}
        {"id": "georges-seurat", "slug": "georges-seurat", "name": "Georges Seurat", "sort_name": \#
        "Seurat, Georges", "birth_year": 1859, "death_year": 1891, "dates_text": "1859–1891", \#
        "nationality": "French", "birth_place": "Paris", "blurb": "He built pictures from small touches \#
        of unmixed colour and left their mixing to the eye."}
        {"id": "giovanni-bellini", "slug": "giovanni-bellini", "name": "Giovanni Bellini", "sort_name": \#
        "Bellini, Giovanni", "birth_year": 1435, "death_year": 1516, "dates_text": "c. 1435–1516", \#
        "nationality": "Italian", "birth_place": "Venice", "blurb": "For half a century the head of the \#
        leading workshop in Venice, and the teacher or example of nearly all who followed him there."}
        {"id": "j-m-w-turner", "slug": "j-m-w-turner", "name": "J. M. W. Turner", "sort_name": "Turner, \#
        Joseph Mallord William", "birth_year": 1775, "death_year": 1851, "dates_text": "1775–1851", \#
        "nationality": "British", "birth_place": "London", "blurb": "He began as a draughtsman of \#
        buildings and ended as a painter of light, steam and weather."}
        {"id": "james-mcneill-whistler", "slug": "james-mcneill-whistler", "name": "James McNeill \#
        Whistler", "sort_name": "Whistler, James McNeill", "birth_year": 1834, "death_year": 1903, \#
        "dates_text": "1834–1903", "nationality": "American", "birth_place": "Lowell, Massachusetts", \#
        "blurb": "He called his pictures arrangements and nocturnes, so that nobody should look for a \#
        story in them, and etched as few had since Rembrandt."}
        {"id": "jan-brueghel-the-elder", "slug": "jan-brueghel-the-elder", "name": "Jan Brueghel the \#
        Elder", "sort_name": "Brueghel, Jan, the Elder", "birth_year": 1568, "death_year": 1625, \#
        "dates_text": "1568–1625", "nationality": "Flemish", "birth_place": "Brussels", "blurb": "A son \#
        of Pieter Bruegel, nicknamed Velvet for the finish of his flowers and animals. He liked to \#
        share a panel with other painters."}
        {"id": "jan-van-eyck", "slug": "jan-van-eyck", "name": "Jan van Eyck", "sort_name": "Eyck, Jan \#
        van", "birth_year": 1390, "death_year": 1441, "dates_text": "c. 1390–1441", "nationality": \#
        "Netherlandish", "birth_place": "Maaseik (?)", "blurb": "He did not invent oil paint, but \#
        nobody before him had shown what thin layers of it could do with light on metal, fur and \#
        glass."}
        {"id": "johannes-vermeer", "slug": "johannes-vermeer", "name": "Johannes Vermeer", "sort_name": \#
        "Vermeer, Johannes", "birth_year": 1632, "death_year": 1675, "dates_text": "1632–1675", \#
        "nationality": "Dutch", "birth_place": "Delft", "blurb": "Some three dozen paintings are known \#
        to be his, most of them of a quiet room with a window on the left."}
        {"id": "katsushika-hokusai", "slug": "katsushika-hokusai", "name": "Katsushika Hokusai", \#
        "sort_name": "Hokusai, Katsushika", "birth_year": 1760, "death_year": 1849, "dates_text": \#
        "1760–1849", "nationality": "Japanese", "birth_place": "Edo (now Tokyo)", "blurb": "He used \#
        some thirty names in seventy years of work, and was past seventy when he drew his views of \#
        Mount Fuji."}
        {"id": "leonardo-da-vinci", "slug": "leonardo-da-vinci", "name": "Leonardo da Vinci", \#
        "sort_name": "Leonardo da Vinci", "birth_year": 1452, "death_year": 1519, "dates_text": \#
        "1452–1519", "nationality": "Italian", "birth_place": "Anchiano, near Vinci", "blurb": "He \#
        finished few paintings and filled thousands of pages with how water, muscles, birds and shadows \#
        work."}
        {"id": "mary-cassatt", "slug": "mary-cassatt", "name": "Mary Cassatt", "sort_name": "Cassatt, \#
        Mary", "birth_year": 1844, "death_year": 1926, "dates_text": "1844–1926", "nationality": \#
        "American", "birth_place": "Allegheny, Pennsylvania", "blurb": "The only American who showed \#
        with the Impressionists. A Paris exhibition of Japanese prints in 1890 led to her ten great \#
        colour prints."}
        {"id": "paul-cezanne", "slug": "paul-cezanne", "name": "Paul Cézanne", "sort_name": "Cézanne, \#
        Paul", "birth_year": 1839, "death_year": 1906, "dates_text": "1839–1906", "nationality": \#
        "French", "birth_place": "Aix-en-Provence", "blurb": "He painted apples and a mountain until \#
        they held together without the rules of perspective."}
        {"id": "peter-paul-rubens", "slug": "peter-paul-rubens", "name": "Peter Paul Rubens", \#
        "sort_name": "Rubens, Peter Paul", "birth_year": 1577, "death_year": 1640, "dates_text": \#
        "1577–1640", "nationality": "Flemish", "birth_place": "Siegen", "blurb": "Painter, diplomat and \#
        head of a large workshop in Antwerp, whose pupils and partners painted much that he designed."}
        {"id": "pieter-bruegel-the-elder", "slug": "pieter-bruegel-the-elder", "name": "Pieter Bruegel \#
        the Elder", "sort_name": "Bruegel, Pieter, the Elder", "birth_year": 1525, "death_year": 1569, \#
        "dates_text": "c. 1525–1569", "nationality": "Netherlandish", "birth_place": "Breda (?)", \#
        "blurb": "He looked at villages, weather and folly from high above, and left nobody out."}
        {"id": "rembrandt-van-rijn", "slug": "rembrandt-van-rijn", "name": "Rembrandt van Rijn", \#
        "sort_name": "Rijn, Rembrandt van", "birth_year": 1606, "death_year": 1669, "dates_text": \#
        "1606–1669", "nationality": "Dutch", "birth_place": "Leiden", "blurb": "Painter, draughtsman \#
        and etcher. He drew, etched or painted his own face some eighty times."}
        {"id": "sandro-botticelli", "slug": "sandro-botticelli", "name": "Sandro Botticelli", \#
        "sort_name": "Botticelli, Sandro", "birth_year": 1445, "death_year": 1510, "dates_text": "c. \#
        1445–1510", "nationality": "Italian", "birth_place": "Florence", "blurb": "He painted for the \#
        Medici and their circle, and line mattered more to him than depth."}
        {"id": "titian", "slug": "titian", "name": "Titian", "sort_name": "Titian", "birth_year": 1488, \#
        "death_year": 1576, "dates_text": "c. 1488/90–1576", "nationality": "Italian", "birth_place": \#
        "Pieve di Cadore", "blurb": "The great colourist of Venice, who served popes and emperors and \#
        in old age is said to have painted with his fingers as much as with a brush."}
        {"id": "utagawa-hiroshige", "slug": "utagawa-hiroshige", "name": "Utagawa Hiroshige", \#
        "sort_name": "Hiroshige, Utagawa", "birth_year": 1797, "death_year": 1858, "dates_text": \#
        "1797–1858", "nationality": "Japanese", "birth_place": "Edo (now Tokyo)", "blurb": "He made \#
        rain, snow and dusk the subject of the landscape print, along the Tōkaidō road and in his own \#
        city."}
        {"id": "vincent-van-gogh", "slug": "vincent-van-gogh", "name": "Vincent van Gogh", "sort_name": \#
        "Gogh, Vincent van", "birth_year": 1853, "death_year": 1890, "dates_text": "1853–1890", \#
        "nationality": "Dutch", "birth_place": "Zundert", "blurb": "He was an artist for ten years. \#
        Most of the paintings that everybody knows are from the last two and a half."}
        """#
}
