/// A description of the Met's catalogue, on which tests depend; the built-in one may change.
enum MetDescription {
    static let text = """
        source: met
        title: The Metropolitan Museum of Art
        website: https://www.metmuseum.org
        base: https://collectionapi.metmuseum.org/public/collection/v1
        licence: CC0-1.0                          # of the records
        works: 498000                             # about
        hosts: [images.metmuseum.org]             # the only hosts besides the base's
        rate: { requests: 1/s, per_day: 80000 }
        blocked:                                  # answers that mean "slow down", not content: the host pauses
          - { status: 403, wait: 2m }
          - { type: text/html, wait: 2m }
        select:
          department: { get: "/objects?departmentIds={value}" }

        artworks:
          list:
            form: whole
            get: /objects
            rows: SELECT value AS id FROM json_each(:body, '$.objectIDs')
            total: SELECT :body ->> 'total'
            since: { get: "/objects?metadataDate={since:date}", overlap: 2d }
          object:
            get: /objects/{id}
            is: SELECT :body ->> 'objectID'
            row: |
              SELECT :body ->> 'title' AS title, :body ->> 'objectDate' AS date, :body ->> 'medium' AS medium,
                     :body ->> 'accessionNumber' AS inventory_id, :body ->> 'creditLine' AS credit_line,
                     coalesce(nullif(:body ->> 'classification', ''), :body ->> 'objectName') AS category,
                     :body ->> 'GalleryNumber' AS gallery
            artists: |
              SELECT coalesce(value ->> 'constituentID', value ->> 'name') AS id, value ->> 'name' AS name, value ->> 'role' AS role
              FROM json_each(:body, '$.constituents')
            images: |
              SELECT value AS url FROM json_each(json_array(:body ->> 'primaryImage')) WHERE :body ->> 'isPublicDomain'
              UNION ALL SELECT value FROM json_each(:body, '$.additionalImages') WHERE :body ->> 'isPublicDomain'
          gone: { by: absence, lists: 3, apart: 2d }

        """
}
