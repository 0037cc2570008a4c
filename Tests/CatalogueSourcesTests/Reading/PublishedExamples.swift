/// Answers in the published format of each museum's API. Names and types of fields are real, values are made up.
enum PublishedExamples {
    static let met = #"""
        {"objectID":900001,"isHighlight":false,"accessionNumber":"00.1.1","accessionYear":"1900","isPublicDomain":true,
         "primaryImage":"https://images.metmuseum.org/CRDImages/xx/original/A 1.jpg",
         "primaryImageSmall":"https://images.metmuseum.org/CRDImages/xx/web-large/A 1.jpg","additionalImages":[],
         "constituents":[{"constituentID":5001,"role":"Artist","name":"Ada Maker","constituentULAN_URL":"","constituentWikidata_URL":"","gender":"Female"}],
         "department":"Drawings","objectName":"Print","title":"A Made-up Print","culture":"","period":"",
         "artistRole":"Artist","artistPrefix":"","artistDisplayName":"Ada Maker","artistDisplayBio":"Dutch, 1800–1850","artistSuffix":"",
         "artistAlphaSort":"Maker, Ada","artistNationality":"Dutch","artistBeginDate":"1800","artistEndDate":"1850","artistGender":"Female",
         "artistWikidata_URL":"","artistULAN_URL":"","objectDate":"ca. 1830","objectBeginDate":1825,"objectEndDate":1835,
         "medium":"Etching","dimensions":"4 x 6 in. (10.2 x 15.2 cm)",
         "measurements":[{"elementName":"Sheet","elementDescription":null,"elementMeasurements":{"Height":10.2,"Width":15.2}}],
         "creditLine":"Gift, 1900","classification":"Prints","rightsAndReproduction":"","linkResource":"","metadataDate":"2026-01-02T04:00:00.123Z",
         "repository":"…","objectURL":"https://www.metmuseum.org/art/collection/search/900001","tags":null,"GalleryNumber":""}
        """#

    static let artic = #"""
        {"pagination":{"total":2,"limit":1,"offset":0,"total_pages":2,"current_page":1,"next_url":"https://api.artic.edu/api/v1/artworks?page=2&limit=1"},
         "data":[{"id":900001,"api_model":"artworks","title":"A Made-up Chair","main_reference_number":"1900.1","date_start":1890,"date_end":1890,"date_display":"1890",
          "artist_display":"Ada Maker\nDutch, 1850–1910","artist_id":501,"artist_title":"Ada Maker","artist_ids":[501],"place_of_origin":"Netherlands",
          "dimensions":"90 × 40 cm","dimensions_detail":[{"height":90,"width":40,"depth":null,"diameter":null,"clarification":null}],
          "medium_display":"Oak","credit_line":"Gift","is_public_domain":true,"is_on_view":false,"gallery_id":null,"gallery_title":null,
          "department_id":"PC-1","department_title":"…","classification_title":"chair","artwork_type_title":"Furniture","exhibition_history":null,
          "description":"<p>…</p>","image_id":"00000000-0000-0000-0000-000000000001","alt_image_ids":[],"thumbnail":{"lqip":"…","width":3000,"height":2000,"alt_text":"…"},
          "fiscal_year_deaccession":null,"source_updated_at":"2026-01-02T03:04:05-06:00","updated_at":"2026-01-03T03:04:05-06:00","timestamp":"2026-01-03T04:00:00-06:00",
          "artist_pivots":[{"artist_id":501,"artist_title":"Ada Maker","role_id":219,"role_title":"Artist","is_preferred":true}]}],
         "info":{"license_text":"…","license_links":["…"],"version":"1.0"},"config":{"iiif_url":"https://www.artic.edu/iiif/2","website_url":"https://www.artic.edu"}}
        """#

    static let cleveland = #"""
        {"info":{"total":1,"parameters":{"limit":1,"skip":0}},"data":[{"id":900001,"accession_number":"1900.1","share_license_status":"CC0","tombstone":"…",
         "current_location":null,"title":"A Made-up Bowl","creation_date":"c. 1800","creation_date_earliest":1795,"creation_date_latest":1805,
         "creators":[{"id":501,"description":"Ada Maker (Dutch, 1770–1830)","extent":null,"qualifier":null,"role":"artist","biography":null,"birth_year":"1770","death_year":"1830"}],
         "culture":["Netherlands"],"technique":"silver","department":"Decorative Art","collection":"Decorative","type":"Silver","measurements":"Overall: 10 x 20 cm",
         "dimensions":{"overall":{"height":0.1,"width":0.2}},"exhibitions":{"current":[{"id":7,"title":"<em>A Show</em>","description":"…","opening_date":"2020-01-01T05:00:00"}],"legacy":["…"]},
         "creditline":"Gift","on_loan":false,"description":"Has <em>HTML</em>.","url":"https://clevelandart.org/art/1900.1",
         "images":{"annotation":null,"web":{"url":"https://openaccess-cdn.clevelandart.org/1900.1/1900.1_web.jpg","width":"900","height":"600","filesize":"100000","filename":"1900.1_web.jpg"}},
         "alternate_images":[],"updated_at":"2026-01-02 03:04:05.000000"}]}
        """#

    static let smk = #"""
        {"offset":0,"rows":1,"found":1,"items":[{"id":"900001_object","created":"2020-01-01T00:00:00Z","modified":"2026-01-02T03:04:05Z","object_number":"XX 1","titles":[{"title":"A Made-up Study","language":"en","type":"museum"}],
         "production":[{"creator":"Maker, Ada","creator_forename":"Ada","creator_surname":"Maker","creator_date_of_birth":"1770-01-01T00:00:00.000Z","creator_date_of_death":"1830-01-01T00:00:00.000Z","creator_nationality":"Dutch","creator_role":"artist","creator_lref":"501_person"}],
         "production_date":[{"start":"1800-01-01T00:00:00.000Z","end":"1800-12-31T00:00:00.000Z","period":"1800"}],"techniques":["oil on canvas"],"materials":["canvas"],
         "dimensions":[{"part":"netto","type":"height","unit":"centimeter","value":"10"}],"object_names":[{"name":"painting"}],"collection":["Old Masters"],"current_location_name":"Room 1","on_display":true,
         "exhibitions":[{"exhibition":"A Show","date_start":"2020-01-01T00:00:00.000Z","date_end":"2020-02-01T00:00:00.000Z","venue":"…"}],
         "public_domain":true,"rights":"https://creativecommons.org/share-your-work/public-domain/cc0/","has_image":true,"image_iiif_id":"https://iip.smk.dk/iiif/jp2/x1.tif.jp2","image_width":3000,"image_height":2000,"frontend_url":"https://open.smk.dk/artwork/image/XX1"}]}
        """#
}
