extension DemoCatalogue {
    /// The shows' lines.
    static let shows = #"""
        {"id": "ink-and-copper", "slug": "ink-and-copper", "name": "Ink and Copper: Prints from Dürer \#
        to Cassatt", "start_date": "2025-03-14", "end_date": "2025-09-07", "status": "closed", "blurb": \#
        "Six sheets and four centuries: what a burin, a needle, acid and a knife can each do that the \#
        others can't. The exhibition follows the line from the engraver's even stroke to colour printed \#
        by hand.", "location_id": "print-room", "artwork_ids": ["melencolia-i", "nocturne-venice", \#
        "the-letter", "the-rhinoceros", "the-sleep-of-reason-produces-monsters", "the-three-trees"], \#
        "artist_ids": ["albrecht-durer", "francisco-goya", "james-mcneill-whistler", "mary-cassatt", \#
        "rembrandt-van-rijn"], "cover": {"id": "ink-and-copper-cover", "url": \#
        "https://example.org/open-gallery/ink-and-copper-cover.jpg", "width": 2400, "height": 1600, \#
        "aspect_ratio": 1.5, "caption": "View from the stairs"}, "images": [{"id": \#
        "ink-and-copper-installation-1", "url": \#
        "https://example.org/open-gallery/ink-and-copper-installation-1.jpg", "width": 3000, "height": \#
        2000, "aspect_ratio": 1.5, "caption": "The entrance wall"}, {"id": \#
        "ink-and-copper-installation-2", "url": \#
        "https://example.org/open-gallery/ink-and-copper-installation-2.jpg", "width": 3000, "height": \#
        2000, "aspect_ratio": 1.5, "caption": "Dürer's two sheets, side by side"}, {"id": \#
        "ink-and-copper-installation-3", "url": \#
        "https://example.org/open-gallery/ink-and-copper-installation-3.jpg", "width": 2400, "height": \#
        1800, "aspect_ratio": 1.3333, "caption": "The reading table"}]}
        {"id": "weather-report", "slug": "weather-report", "name": "Weather Report: Four Centuries of \#
        Sky", "start_date": "2025-11-08", "end_date": "2027-12-12", "status": "running", "blurb": \#
        "Snow, spray, steam and a clear morning. Painters looked up long before there were forecasts, \#
        and what they saw was rarely settled. With ten paintings and prints from 1565 to 1890.", \#
        "location_id": "exhibition-hall", "artwork_ids": ["fine-wind-clear-morning", \#
        "impression-sunrise", "rain-steam-and-speed", "sudden-shower-over-shin-ohashi-bridge", \#
        "the-fighting-temeraire", "the-hunters-in-the-snow", "the-starry-night", \#
        "under-the-wave-off-kanagawa", "view-of-delft", "wheatfield-with-crows"], "artist_ids": \#
        ["claude-monet", "j-m-w-turner", "johannes-vermeer", "katsushika-hokusai", \#
        "pieter-bruegel-the-elder", "utagawa-hiroshige", "vincent-van-gogh"], "cover": {"id": \#
        "weather-report-cover", "url": "https://example.org/open-gallery/weather-report-cover.jpg", \#
        "width": 2400, "height": 1600, "aspect_ratio": 1.5, "caption": "The hall from the door"}, \#
        "images": [{"id": "weather-report-installation-1", "url": \#
        "https://example.org/open-gallery/weather-report-installation-1.jpg", "width": 3000, "height": \#
        2000, "aspect_ratio": 1.5, "caption": "First section, snow and harbour"}, {"id": \#
        "weather-report-installation-2", "url": \#
        "https://example.org/open-gallery/weather-report-installation-2.jpg", "width": 3000, "height": \#
        2000, "aspect_ratio": 1.5, "caption": "The three Japanese prints"}, {"id": \#
        "weather-report-installation-3", "url": \#
        "https://example.org/open-gallery/weather-report-installation-3.jpg", "width": 3600, "height": \#
        2000, "aspect_ratio": 1.8, "caption": "Turner's wall"}, {"id": "weather-report-installation-4", \#
        "url": "https://example.org/open-gallery/weather-report-installation-4.jpg", "width": 2000, \#
        "height": 2500, "aspect_ratio": 0.8, "caption": "Last section, with the bench before the Starry \#
        Night"}]}
        """#
}
