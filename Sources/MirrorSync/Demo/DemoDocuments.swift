extension DemoCatalogue {
    /// The documents' lines: a document belongs to a show or an artist and carries its own text.
    static let documents = #"""
        {"id": "cassatt-colour-prints", "title": "The ten colour prints of 1891", "filename": \#
        "cassatt-colour-prints.txt", "artist_id": "mary-cassatt", "text": "The ten colour prints of \#
        1891\n\nIn the spring of 1890 Mary Cassatt saw a large exhibition of Japanese prints at the \#
        École des Beaux-Arts in Paris. Within a year she had made ten colour prints of her own, in \#
        drypoint and aquatint on metal instead of wood, three plates to most of them, inked by hand for \#
        each pull. Every one was printed in an edition of 25.\n"}
        {"id": "hokusai-reading-list", "title": "Looking at Hokusai", "filename": \#
        "hokusai-reading-list.txt", "artist_id": "katsushika-hokusai", "text": "Looking at \#
        Hokusai\n\nLook first for the blue. Prussian blue, new to Edo's publishers around 1830, made \#
        the series possible. Then look for the mountain: in the Great Wave it is the smallest peak of \#
        all, and the only one that stands still.\n\nEvery impression differs. Worn lines in the title \#
        cartouche point to a late one.\n"}
        {"id": "ink-and-copper-checklist", "title": "Checklist", "filename": \#
        "ink-and-copper-checklist.txt", "show_id": "ink-and-copper", "text": "Ink and Copper: Prints \#
        from Dürer to Cassatt: checklist\n\n1. Albrecht Dürer, Melencolia I, 1514. Engraving. 24 × 18.5 \#
        cm.\n2. Albrecht Dürer, The Rhinoceros, 1515. Woodcut. 23.5 × 29.8 cm.\n3. Rembrandt van Rijn, \#
        The Three Trees, 1643. Etching with drypoint and engraving. 21.3 × 27.9 cm.\n4. Francisco Goya, \#
        The Sleep of Reason Produces Monsters, 1797–1799. Etching and aquatint. Plate 21.2 × 15.1 \#
        cm.\n5. James McNeill Whistler, Nocturne, 1879–1880. Etching and drypoint. Plate about 20 × \#
        29.5 cm.\n6. Mary Cassatt, The Letter, 1890–1891. Colour drypoint, soft-ground etching and \#
        aquatint. Plate about 34.5 × 22.5 cm.\n"}
        {"id": "ink-and-copper-press-release", "title": "Press release", "filename": \#
        "ink-and-copper-press-release.txt", "show_id": "ink-and-copper", "text": "Ink and Copper: \#
        Prints from Dürer to Cassatt\n14 March to 7 September 2025, Print Room\n\nA print is a drawing \#
        that can be in many places at once. The Open Gallery shows six of the best known, from Albrecht \#
        Dürer's Melencolia I of 1514 to Mary Cassatt's The Letter of 1890–1891, and explains with tools \#
        and plates how each was made.\n\nThe room is kept dim for the paper's sake. Magnifiers are at \#
        the desk.\n"}
        {"id": "rembrandt-notes-on-states", "title": "Notes on Rembrandt's plates", "filename": \#
        "rembrandt-notes-on-states.txt", "artist_id": "rembrandt-van-rijn", "text": "Notes on \#
        Rembrandt's plates\n\nRembrandt changed his copper plates while he printed from them, and \#
        collectors were after every state. In The Three Trees etching gives the trees, drypoint the \#
        dark, and long engraved lines the slanting rain.\n"}
        {"id": "weather-report-checklist", "title": "Checklist", "filename": \#
        "weather-report-checklist.txt", "show_id": "weather-report", "text": "Weather Report: Four \#
        Centuries of Sky: checklist\n\n1. Pieter Bruegel the Elder, The Hunters in the Snow, 1565. Oil \#
        on oak panel. 116.5 × 162 cm.\n2. Johannes Vermeer, View of Delft, c. 1660–1661. Oil on canvas. \#
        96.5 × 115.7 cm.\n3. Katsushika Hokusai, Fine Wind, Clear Morning (Red Fuji), c. 1830–1832. \#
        Colour woodblock print, ink and colour on paper. About 25 × 37 cm (horizontal ōban).\n4. \#
        Katsushika Hokusai, Under the Wave off Kanagawa (The Great Wave), c. 1830–1832. Colour \#
        woodblock print, ink and colour on paper. 25.7 × 37.9 cm (horizontal ōban).\n5. J. M. W. \#
        Turner, The Fighting Temeraire, Tugged to Her Last Berth to Be Broken Up, 1838, 1839. Oil on \#
        canvas. 90.7 × 121.6 cm.\n6. J. M. W. Turner, Rain, Steam, and Speed – The Great Western \#
        Railway, 1844. Oil on canvas. 91 × 121.8 cm.\n7. Utagawa Hiroshige, Sudden Shower over \#
        Shin-Ōhashi Bridge and Atake, 1857. Colour woodblock print, ink and colour on paper. About 34 × \#
        23 cm (vertical ōban).\n8. Claude Monet, Impression, Sunrise, 1872. Oil on canvas. 50 × 65 \#
        cm.\n9. Vincent van Gogh, The Starry Night, 1889. Oil on canvas. 73.7 × 92.1 cm.\n10. Vincent \#
        van Gogh, Wheatfield with Crows, 1890. Oil on canvas. 50.5 × 103 cm.\n"}
        {"id": "weather-report-press-release", "title": "Press release", "filename": \#
        "weather-report-press-release.txt", "show_id": "weather-report", "text": "Weather Report: Four \#
        Centuries of Sky\n8 November 2025 to 12 December 2027, Exhibition Hall\n\nPieter Bruegel \#
        painted a hard winter in 1565, Vincent van Gogh a wheatfield under a dark blue sky in 1890. \#
        Between them the weather changed sides: from the background of a story to the story \#
        itself.\n\nThe exhibition brings ten works together, among them Hokusai's Great Wave, two of \#
        Turner's late pictures and the harbour view that gave Impressionism its name. Admission is free \#
        when it rains.\n"}
        """#
}
