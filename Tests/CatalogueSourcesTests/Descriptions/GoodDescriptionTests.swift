import Catalogue
import CatalogueSources
import Testing

@Suite struct GoodDescriptionTests {
    private static let everything = """
        source: all-keys
        title: "All: the keys"
        website: https://museum.org/#collection
        base: https://api.museum.org:8443/v1/
        licence: CC0-1.0
        works: 120000
        rights: unchecked
        hosts:
          - images.museum.org
          - 127.0.0.1
        rate: { requests: 90/min, per_day: 5000, parallel: 2 }
        blocked:
          - { status: 403, wait: 90s }
          - { type: TEXT/html, wait: 1h }
          - { header: cf-mitigated, wait: 2d }
          - { status: 410, ended: true }
        select:
          department: { get: "/works?department={value}&page={page}", window: 10000 }
          type:
            get: https://images.museum.org/works?type={value}&page={page}
        key: { header: X-Api-Key, env: MIRROR_KEY_ALL }
        headers:
          AIC-User-Agent: mirror (me@museum.org)
          Accept: application/json
        contact: me@museum.org
        language: de-CH
        artworks:
          list:
            form: page
            get: /works?page={page}&limit={size}&fields=all
            first: 0
            size: 100
            rows: SELECT 1 AS id
            total: SELECT 2
            pages: SELECT 3
            window: 10000
            order: changed_desc
            thin: { fields: "id,version", sort: changed }
            until_older: true
          object:
            get: /works/{id}
            batch: { get: "/works?ids={ids}&limit={size}", size: 50, rows: SELECT 4 }
            is: SELECT 5
            absent: { status: [404], where: SELECT 6 }
            root: $.data
            row: SELECT 7
            artists: SELECT 8
            images: SELECT 9
            volatile: [views, score]
          gone: { by: signal }
        shows:
          list:
            form: offset
            get: /shows?skip={offset}
            size: 1000
            rows: SELECT 10
            since: { get: "/shows?since={since:instant}&skip={offset}" }
          object: { get: "/shows/{id}", is: SELECT 11, row: SELECT 12, members: SELECT 13 }
          gone: { by: absence, lists: 5, apart: 12h }
        artists:
          object: { get: "/artists/{id}", is: SELECT 14, row: SELECT 15 }

        """

    private let all: SourceDescription
    private let artworks: KindDescription

    init() throws {
        all = try SourceDescription(yaml: Self.everything, file: "all-keys.yaml")
        artworks = try #require(all[.artwork])
    }

    @Test func allKeysOfTheMuseumAreRead() {
        #expect(all.title == "All: the keys")
        #expect(all.website == "https://museum.org/#collection")
        #expect(all.hasUncheckedRights)
        #expect(all.works == 120_000)
        #expect(all.contact == "me@museum.org")
        #expect(all.language == "de-CH")
        #expect(all.kinds.map(\.kind) == [.artist, .artwork, .show])
    }

    @Test func allKeysOfRequestsAreRead() throws {
        #expect(all.base == "https://api.museum.org:8443/v1")
        #expect(all.hosts == ["images.museum.org", "127.0.0.1"])
        #expect(all.rate.requests == 90 && all.rate.interval == .seconds(60))
        #expect(all.rate.perDay == 5_000 && all.rate.parallel == 2)
        #expect(
            all.blocked == [
                BlockRule(.status(403), .wait(.seconds(90))),
                BlockRule(.type("text/html"), .wait(.seconds(3_600))),
                BlockRule(.header("cf-mitigated"), .wait(.seconds(172_800))), BlockRule(.status(410), .ended),
            ])
        #expect(all.selections.count == 2)
        #expect(all.selections["department"]?.window == 10_000)
        #expect(
            all.selections["type"]?.get.text == "https://images.museum.org/works?type={value}&page={page}")
        #expect(all.key == SourceDescription.AccessKey(.header("X-Api-Key"), variable: "MIRROR_KEY_ALL"))
        #expect(
            all.headers == [
                SourceDescription.HeaderField("AIC-User-Agent", "mirror (me@museum.org)"),
                SourceDescription.HeaderField("Accept", "application/json"),
            ])
    }

    @Test func allKeysOfAListAreRead() throws {
        let list = try #require(artworks.list)
        #expect(list.form == .page && list.first == 0 && list.size == 100 && list.window == 10_000)
        #expect(
            [list.rows.sql, list.total?.sql, list.pages?.sql] == ["SELECT 1 AS id", "SELECT 2", "SELECT 3"])
        #expect(list.isNewestFirst && list.since == .untilOlder)
        #expect(
            list.thin == [
                ListDescription.QueryItem("fields", "id,version"),
                ListDescription.QueryItem("sort", "changed"),
            ])
        let shows = try #require(all[.show]?.list)
        #expect(shows.form == .offset && shows.size == 1_000)
        #expect(
            try shows.since
                == .parameter(
                    get: URLTemplate("/shows?since={since:instant}&skip={offset}"), overlap: .seconds(86_400))
        )
    }

    @Test func aThinListReplacesItemsOfTheSameNameAndAddsOthers() throws {
        let list = try #require(artworks.list)
        #expect(
            try list.get.replacing(list.thin).text
                == "/works?page={page}&limit={size}&fields=id,version&sort=changed")
    }

    @Test func aRelativeRequestGoesToTheBase() throws {
        #expect(all.url(artworks.object.get, [.id: "a/b"]) == "https://api.museum.org:8443/v1/works/a%2Fb")
        let selection = try #require(all.selections["type"]).get
        #expect(
            all.url(selection, [.value: "x", .page: "2"]) == "https://images.museum.org/works?type=x&page=2")
        #expect(all.url(try URLTemplate("/objects")) == "https://api.museum.org:8443/v1/objects")
    }

    @Test func allKeysOfAnObjectAreRead() throws {
        let object = artworks.object
        #expect(object.batch?.get.text == "/works?ids={ids}&limit={size}")
        #expect(object.batch?.size == 50 && object.batch?.rows?.sql == "SELECT 4")
        #expect(object.absent.statuses == [404] && object.absent.condition?.sql == "SELECT 6")
        #expect(object.root == "$.data" && object.volatile == ["views", "score"])
        #expect(object.artists?.sql == "SELECT 8" && object.images?.sql == "SELECT 9")
        #expect(all[.show]?.object.members?.sql == "SELECT 13")
        #expect(artworks.gone.rule == .signal)
        #expect(all[.show]?.gone.lists == 5 && all[.show]?.gone.apart == .seconds(43_200))
        #expect(all[.artist]?.list == nil && all[.artist]?.gone == DeletionDescription())
    }

    @Test(arguments: [
        ("source: tiny", "\u{FEFF}source: tiny"), ("source: tiny", "\"source\": 'tiny'"),
        ("source: tiny", "---\nsource: !!str tiny"), ("source: tiny", "# R&D &a *b\nsource: tiny"),
        ("A Tiny Museum", "Ink & Paper"), ("A Tiny Museum", "'&name *name'"),
        ("A Tiny Museum", "Müller’s 美術館 🎨"),
        ("rate: { requests: 1/s }", "rate: {}"),
        ("rate: { requests: 1/s }", "rate: { requests: 0.5/s, parallel: 1 }"),
        ("&fields=all", "&q=[a|b]&x=%7B"), ("form: page", "form:\n      page"),
        ("is: SELECT :body ->> 'id'", "is: >\n      SELECT\n      :body & 3 &mask"),
        ("base: https://api.tiny.org/v1", "base: http://[::1]:8080"),
    ]) func aDescriptionCanBeWrittenInManyWays(_ part: String, _ other: String) throws {
        #expect(try TinyDescription.reading(part, with: other).id == "tiny")
    }

    @Test func linesMayEndWithCarriageReturns() throws {
        let text = TinyDescription.text.replacing("\n", with: "\r\n")
        #expect(try SourceDescription(yaml: text, file: "tiny.yaml").title == "A Tiny Museum")
    }
}
