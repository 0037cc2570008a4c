import Catalogue
import CatalogueSources
import Testing

@Suite struct MetDescriptionTests {
    private let met: SourceDescription
    private let artworks: KindDescription

    init() throws {
        met = try SourceDescription(yaml: MetDescription.text, file: "met.yaml")
        artworks = try #require(met[.artwork])
    }

    @Test func theMetsMuseumIsRead() {
        #expect(met.id == "met")
        #expect(met.title == "The Metropolitan Museum of Art")
        #expect(met.website == "https://www.metmuseum.org")
        #expect(met.licence == "CC0-1.0")
        #expect(met.works == 498_000)
        #expect(!met.hasUncheckedRights)
        #expect(met.contact == nil && met.language == nil && met.key == nil && met.headers.isEmpty)
    }

    @Test func theMetsRequestsAreRead() throws {
        #expect(met.base == "https://collectionapi.metmuseum.org/public/collection/v1")
        #expect(met.hosts == ["images.metmuseum.org"])
        var rate = RequestRate()
        (rate.requests, rate.interval, rate.perDay) = (1, .seconds(1), 80_000)
        #expect(met.rate == rate)
        #expect(
            met.blocked == [
                BlockRule(.status(403), .wait(.seconds(120))),
                BlockRule(.type("text/html"), .wait(.seconds(120))),
            ])
        let department = try SourceDescription.Selection(get: URLTemplate("/objects?departmentIds={value}"))
        #expect(met.selections == ["department": department])
    }

    @Test func theMetsListIsRead() throws {
        let list = try #require(artworks.list)
        #expect(met.kinds.count == 1)
        #expect(list.form == .whole)
        #expect(list.get.text == "/objects")
        #expect(list.rows.sql == "SELECT value AS id FROM json_each(:body, '$.objectIDs')")
        #expect(list.total?.sql == "SELECT :body ->> 'total'")
        #expect(
            try list.since
                == .parameter(
                    get: URLTemplate("/objects?metadataDate={since:date}"), overlap: .seconds(2 * 86_400)))
        #expect(list.size == nil && list.pages == nil && list.window == nil && list.thin.isEmpty)
        #expect(!list.isNewestFirst)
    }

    @Test func theMetsObjectIsRead() {
        let object = artworks.object
        #expect(object.get.text == "/objects/{id}")
        #expect(object.identity.sql == "SELECT :body ->> 'objectID'")
        #expect(object.row.sql.hasPrefix("SELECT :body ->> 'title' AS title,"))
        #expect(object.row.sql.hasSuffix("\n       :body ->> 'GalleryNumber' AS gallery"))
        #expect(object.artists?.sql.hasSuffix("FROM json_each(:body, '$.constituents')") == true)
        #expect(object.images?.sql.contains("\nUNION ALL SELECT value") == true)
        #expect(object.absent == AbsenceDescription())
        #expect(object.absent.statuses == [404, 410])
        #expect(object.batch == nil && object.root == nil && object.members == nil && object.volatile.isEmpty)
    }

    @Test func theMetsObjectsGoAfterThreeListsWithoutThem() {
        #expect(artworks.gone.rule == .absence)
        #expect(artworks.gone.lists == 3)
        #expect(artworks.gone.apart == .seconds(2 * 86_400))
    }
}
