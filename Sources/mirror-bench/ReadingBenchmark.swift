import ArgumentParser
import Catalogue
import CatalogueSources

/// Measures how long the description of the Met takes to read one record: its queries, and the object's JSON.
struct ReadingBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reading", abstract: "Measure how fast the description of the Met reads its records.")

    @Option(help: "The number of records to read.")
    var records = 20_000

    func validate() throws { try requirePositive(("--records", records)) }

    func run() throws {
        let reader = try SourceReader(SourceFolder(nil).description(named: "met"), file: "met.yaml")
        let answer = Array(Self.record.utf8)
        // The first reading prepares the queries.
        _ = try reader.object(answer, id: "900001", status: 200, of: .artwork)
        let start = ContinuousClock.now
        for _ in 0..<records { _ = try reader.object(answer, id: "900001", status: 200, of: .artwork) }
        let microseconds = (ContinuousClock.now - start) / .microseconds(1) / Double(records)
        print("\(records) records of \(answer.count) bytes: \(microseconds.text(1)) µs each")
    }

    /// A record with all fields of the museum's published format; the values are made up.
    private static let record = #"""
        {"objectID":900001,"isHighlight":false,"accessionNumber":"00.1.1","accessionYear":"1900","isPublicDomain":true,
         "primaryImage":"https://images.metmuseum.org/CRDImages/xx/original/A 1.jpg",
         "primaryImageSmall":"https://images.metmuseum.org/CRDImages/xx/web-large/A 1.jpg","additionalImages":[],
         "constituents":[{"constituentID":5001,"role":"Artist","name":"Ada Maker","constituentULAN_URL":"",
           "constituentWikidata_URL":"","gender":"Female"}],
         "department":"Drawings","objectName":"Print","title":"A Made-up Print","culture":"","period":"","dynasty":"","reign":"",
         "portfolio":"","artistRole":"Artist","artistPrefix":"","artistDisplayName":"Ada Maker",
         "artistDisplayBio":"Dutch, 1800–1850","artistSuffix":"","artistAlphaSort":"Maker, Ada","artistNationality":"Dutch",
         "artistBeginDate":"1800","artistEndDate":"1850","artistGender":"Female","artistWikidata_URL":"","artistULAN_URL":"",
         "objectDate":"ca. 1830","objectBeginDate":1825,"objectEndDate":1835,"medium":"Etching",
         "dimensions":"4 x 6 in. (10.2 x 15.2 cm)",
         "measurements":[{"elementName":"Sheet","elementDescription":null,"elementMeasurements":{"Height":10.2,"Width":15.2}}],
         "creditLine":"Gift, 1900","geographyType":"","city":"","state":"","county":"","country":"","region":"","subregion":"",
         "locale":"","locus":"","excavation":"","river":"","classification":"Prints","rightsAndReproduction":"",
         "linkResource":"","metadataDate":"2026-01-02T04:00:00.123Z","repository":"A museum",
         "objectURL":"https://www.metmuseum.org/art/collection/search/900001","tags":null,"objectWikidata_URL":"",
         "isTimelineWork":false,"GalleryNumber":""}
        """#
}
