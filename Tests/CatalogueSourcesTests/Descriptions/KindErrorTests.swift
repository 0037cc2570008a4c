import CatalogueSources
import Testing

@Suite struct KindErrorTests {
    @Test(arguments: [
        BadDescription(
            "artworks:", "artwork:",
            "6:1: There is no key \"artwork\" in the description. Did you mean \"artworks\"?"),
        BadDescription("artworks:", "artworks: [a]\nshows:", "6:11: artworks must be a mapping"),
        BadDescription(
            "  object:", "  objects:",
            "12:3: There is no key \"objects\" in artworks. Did you mean \"object\"?"),
        BadDescription.top(
            "shows: { list: {} }",
            "6:16: The key \"form\" is missing in shows.list. Write whole, page or offset."),
        BadDescription.top(
            "artists: { gone: { by: never } }", "6:10: The key \"object\" is missing in artists."),
    ]) func aWrongKindIsAnError(_ bad: BadDescription) { bad.check() }

    @Test(arguments: [
        BadDescription(
            "form: page", "form: pages", "8:11: artworks.list.form can't be \"pages\". Did you mean \"page\"?"
        ),
        BadDescription(
            "form: page", "form: tree",
            "8:11: artworks.list.form can't be \"tree\". Use whole, page or offset."),
        BadDescription(
            "form: page", "form: cursor",
            "8:11: artworks.list.form can't be cursor in this version; cursor, oai and changes come in a later version. Use whole, page or offset."
        ),
        BadDescription("form: page", "form: oai", "8:11: artworks.list.form can't be oai in this version"),
        BadDescription(
            "form: page", "form: changes", "8:11: artworks.list.form can't be changes in this version"),
        BadDescription(
            "rows:", "row:", "11:5: There is no key \"row\" in artworks.list. Did you mean \"rows\"?"),
        BadDescription(
            "    size: 100\n", "", "8:5: The key \"size\" is missing in artworks.list. Write how many"),
        BadDescription(
            "size: 100", "size: 0", "10:11: artworks.list.size must be a whole number from 1 to 100000"),
        BadDescription.list("first: 2", "12:12: artworks.list.first must be a whole number from 0 to 1"),
        BadDescription.list("window: -1", "12:13: artworks.list.window must be a whole number"),
        BadDescription.list("order: changed", "12:12: artworks.list.order can only be changed_desc"),
        BadDescription.list("total: {}", "12:12: artworks.list.total must be a text"),
        BadDescription.list("pages:", "12:11: artworks.list.pages has no value."),
        BadDescription.list(
            "until_older: true", "12:18: \"until_older\" stops at the first entry that hasn't changed"),
        BadDescription.list(
            "order: changed_desc\n    until_older: false", "13:18: artworks.list.until_older can only be true"
        ),
        BadDescription.list(
            "order: changed_desc\n    until_older: true\n    since: { get: \"/x?{page}{since:date}\" }",
            "13:18: A list has either \"since\" or \"until_older\"."),
        BadDescription.list("since: 2d", "12:12: artworks.list.since must be a mapping"),
        BadDescription.list(
            "since: { overlap: 2d }", "12:12: The key \"get\" is missing in artworks.list.since."),
        BadDescription.list(
            "since: { get: \"/x?{page}\" }",
            "12:19: artworks.list.since.get must contain {since:date} or {since:instant}."),
        BadDescription.list(
            "since: { get: \"/x?{since:date}\" }", "12:19: artworks.list.since.get must contain {page}."),
        BadDescription.list(
            "thin: { fileds: id }",
            "12:13: There is no query item \"fileds\" in artworks.list.get. Did you mean \"fields\"?"),
        BadDescription.list(
            "thin: { fields: \"{id}\" }", "12:21: artworks.list.thin.fields can't contain {id}."),
        BadDescription.list(
            "thin: { fields: \"a b\" }",
            "12:21: artworks.list.thin.fields contains \" \", which a URL can't contain. Write %20."),
        BadDescription.list(
            "thin: { fields: \"a&b\" }", "12:21: artworks.list.thin.fields is one query item."),
        BadDescription.list("thin: { page: \"1\" }", "12:19: artworks.list.thin.page must contain {page}."),
        BadDescription.list("thin: { \"a=b\": c }", "12:13: \"a=b\" can't be the name of a query item."),
        BadDescription.list("thin: {}", "12:11: artworks.list.thin has no query items."),
    ]) func aWrongListIsAnError(_ bad: BadDescription) { bad.check() }

    @Test(arguments: ["size: 5", "pages: SELECT 1", "order: changed_desc", "until_older: true", "first: 1"])
    func aWholeListHasNoPages(_ line: String) {
        let key = line.prefix { $0 != ":" }
        let text = TinyDescription.text.replacing("form: page", with: "form: whole")
            .replacing("size: 100", with: line).replacing(
                "/works?page={page}&limit={size}&fields=all", with: "/works")
        let start = "tiny.yaml:10:5: The key \"\(key)\" in artworks.list belongs to the form"
        #expect(TinyDescription.error(of: text)?.description.hasPrefix(start) == true)
    }

    @Test(arguments: [
        BadDescription(
            "is: SELECT", "si: SELECT",
            "14:5: There is no key \"si\" in artworks.object. Did you mean \"is\"?"),
        BadDescription(
            "is: SELECT :body ->> 'id'", "volatile: []", "13:5: The key \"is\" is missing in artworks.object."
        ),
        BadDescription(
            "row: SELECT", "rows: SELECT",
            "15:5: There is no key \"rows\" in artworks.object. Did you mean \"row\"?"),
        BadDescription("/works/{id}", "/works", "13:10: artworks.object.get must contain {id}."),
        BadDescription(
            "/works/{id}", "\"/works/{id}?p={page}\"",
            "13:10: artworks.object.get can't contain {page}. Its placeholders are {id}."),
        BadDescription(
            "/works/{id}", "/works/{idd}", "13:10: artworks.object.get: There is no placeholder {idd}."),
        BadDescription("is: SELECT :body ->> 'id'", "is: \" \"", "14:9: artworks.object.is has no value."),
        BadDescription.object("batch: 5", "16:12: artworks.object.batch must be a mapping"),
        BadDescription.object(
            "batch: { get: \"/x?{ids}\" }", "16:12: The key \"size\" is missing in artworks.object.batch."),
        BadDescription.object(
            "batch: { get: \"/x?{id}\", size: 5 }",
            "16:19: artworks.object.batch.get can't contain {id}. Its placeholders are {ids} and {size}."),
        BadDescription.object("absent: 404", "16:13: artworks.object.absent must be a mapping"),
        BadDescription.object(
            "absent: { status: 404 }", "16:23: artworks.object.absent.status must be a list"),
        BadDescription.object(
            "absent: { status: [429] }", "16:24: The status 429 never means that an object is absent"),
        BadDescription.object(
            "absent: { status: [500] }",
            "16:24: artworks.object.absent.status must be a whole number from 400 to 499"),
        BadDescription.object("absent: { status: [] }", "16:23: artworks.object.absent.status is empty."),
        BadDescription.object(
            "absent: { were: SELECT 1 }",
            "16:15: There is no key \"were\" in artworks.object.absent. Did you mean \"where\"?"),
        BadDescription.object(
            "root: data", "16:11: artworks.object.root must be a path that begins with $, such as $.data"),
        BadDescription.object("volatile: views", "16:15: artworks.object.volatile must be a list"),
        BadDescription.object("volatile: [[views]]", "16:16: artworks.object.volatile must be a text"),
        BadDescription.object(
            "members: SELECT 1",
            "16:5: The key \"members\" in artworks.object belongs to locations, albums and shows."),
        BadDescription.object(
            "images: SELECT 1", "16:13: artworks.object.images needs a WHERE in each SELECT"),
        BadDescription.object(
            "images: SELECT 'WHERE'", "16:13: artworks.object.images needs a WHERE in each SELECT"),
        BadDescription.top(
            "artists: { object: { get: \"/{id}\", is: SELECT 1, row: SELECT 2, images: SELECT 3 } }",
            "6:65: The key \"images\" in artists.object belongs to artworks and shows."),
        BadDescription.top(
            "albums: { object: { get: \"/{id}\", is: SELECT 1, row: SELECT 2, artists: SELECT 3 } }",
            "6:64: The key \"artists\" in albums.object belongs to artworks and shows."),
        BadDescription.top(
            "artists: { object: { get: \"/{id}\", is: SELECT 1, row: SELECT 2, batch: { get: \"/?{ids}\", size: 5 } } }",
            "6:72: The key \"rows\" is missing in artists.object.batch."),
    ]) func aWrongObjectIsAnError(_ bad: BadDescription) { bad.check() }

    @Test(arguments: [
        BadDescription.object("\n  gone: never", "17:9: artworks.gone must be a mapping"),
        BadDescription.object(
            "\n  gone: {}",
            "17:9: The key \"by\" is missing in artworks.gone. Write signal, absence or never."),
        BadDescription.object(
            "\n  gone: { by: abscence }",
            "17:15: artworks.gone.by can't be \"abscence\". Did you mean \"absence\"?"),
        BadDescription.object(
            "\n  gone: { by: never, lists: 3 }",
            "17:22: The key \"lists\" in artworks.gone belongs to \"by: absence\"."),
        BadDescription.object(
            "\n  gone: { by: absence, lists: 0 }",
            "17:31: artworks.gone.lists must be a whole number from 1 to 100"),
        BadDescription.object(
            "\n  gone: { by: absence, apart: 2 }", "17:31: artworks.gone.apart must be a number of seconds"),
        BadDescription.top(
            "artists: { object: { get: \"/{id}\", is: SELECT 1, row: SELECT 2 }, gone: { by: absence } }",
            "6:79: artists.gone.by can't be absence, because artists have no list. Use never."),
    ]) func aWrongDeletionIsAnError(_ bad: BadDescription) { bad.check() }

    @Test(arguments: [
        BadDescription(
            "/works?page={page}&limit={size}&fields=all", "/works",
            "9:10: artworks.list.get must contain {page}."),
        BadDescription(
            "form: page", "form: offset",
            "9:10: artworks.list.get can't contain {page}. Its placeholders are {offset} and {size}."),
        BadDescription(
            "/works?page", "works?page",
            "9:10: artworks.list.get must begin with a slash, as in /objects, or be a whole URL"),
        BadDescription("/works?page", "http:/works?page", "9:10: artworks.list.get must begin with a slash"),
        BadDescription(
            "/works?page", "https://evil.org/works?page",
            "9:10: artworks.list.get goes to \"evil.org\", which is neither the base's host nor one of \"hosts\"."
        ),
        BadDescription(
            "/works?page", "https://api.tiny.org@evil.org/works?page",
            "9:10: artworks.list.get must begin with a slash"),
        BadDescription(
            "/works?page={page}", "https://api.tiny.org{page}",
            "9:10: artworks.list.get can't have a placeholder in its host."),
        BadDescription(
            "/works?page", "https://{page}.tiny.org/works?page",
            "9:10: artworks.list.get must begin with a slash"),
        BadDescription(
            "/works?page", "http://api.tiny.org/works?page",
            "9:10: artworks.list.get must begin with https://, as the base does."),
        BadDescription(
            "&fields=all", "&fields=a%2",
            "9:10: artworks.list.get contains a percent sign without two hexadecimal digits."),
        BadDescription(
            "&fields=all", "&fields=ü",
            "9:10: artworks.list.get contains \"ü\", which a URL can't contain. Write %C3%BC."),
        BadDescription(
            "&fields=all", "&fields=a#b",
            "9:10: artworks.list.get contains \"#\", which a URL can't contain. Write %23."),
        BadDescription("&fields=all", "&fields={all", "9:10: artworks.list.get: A brace has no partner."),
    ]) func aWrongTemplateIsAnError(_ bad: BadDescription) { bad.check() }
}
