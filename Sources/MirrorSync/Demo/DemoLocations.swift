extension DemoCatalogue {
    /// The locations' lines.
    static let locations = #"""
        {"id": "exhibition-hall", "slug": "exhibition-hall", "name": "Exhibition Hall", "site": "The \#
        Open Gallery", "floor": "Ground floor", "description": "Temporary exhibitions.", \#
        "public_access": true, "address": "12 Example Quay", "city": "Ghent", "postal_code": "9000", \#
        "country": "Belgium", "geo_point": {"lat": 51.0543, "lng": 3.7174}}
        {"id": "print-room", "slug": "print-room", "name": "Print Room", "site": "The Open Gallery", \#
        "floor": "Second floor", "description": "Works on paper, at fifty lux.", "public_access": true, \#
        "address": "12 Example Quay", "city": "Ghent", "postal_code": "9000", "country": "Belgium", \#
        "geo_point": {"lat": 51.0543, "lng": 3.7174}}
        {"id": "room-1", "slug": "room-1", "name": "Room 1, Panel and Tempera", "site": "The Open \#
        Gallery", "floor": "Ground floor", "description": "The fifteenth and sixteenth centuries, north \#
        and south of the Alps.", "public_access": true, "address": "12 Example Quay", "city": "Ghent", \#
        "postal_code": "9000", "country": "Belgium", "geo_point": {"lat": 51.0543, "lng": 3.7174}}
        {"id": "room-2", "slug": "room-2", "name": "Room 2, The Dutch Room", "site": "The Open \#
        Gallery", "floor": "Ground floor", "description": "Vermeer and Rembrandt under one skylight.", \#
        "public_access": true, "address": "12 Example Quay", "city": "Ghent", "postal_code": "9000", \#
        "country": "Belgium", "geo_point": {"lat": 51.0543, "lng": 3.7174}}
        {"id": "room-3", "slug": "room-3", "name": "Room 3, Courts and Altars", "site": "The Open \#
        Gallery", "floor": "First floor", "description": "Large pictures, mostly for people of large \#
        means.", "public_access": true, "address": "12 Example Quay", "city": "Ghent", "postal_code": \#
        "9000", "country": "Belgium", "geo_point": {"lat": 51.0543, "lng": 3.7174}}
        {"id": "room-4", "slug": "room-4", "name": "Room 4, Open Air", "site": "The Open Gallery", \#
        "floor": "First floor", "description": "The nineteenth century goes outdoors.", \#
        "public_access": true, "address": "12 Example Quay", "city": "Ghent", "postal_code": "9000", \#
        "country": "Belgium", "geo_point": {"lat": 51.0543, "lng": 3.7174}}
        """#
}
