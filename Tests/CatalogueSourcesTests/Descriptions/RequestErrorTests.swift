import CatalogueSources
import Testing

@Suite struct RequestErrorTests {
    @Test(arguments: [
        "1", "1/m", "s", "/s", "0/s", "-1/s", "nan/s", "inf/s", "0x1/s", "1e3/s", "1/s/s", "10001/s", "1 / s",
        "1..2/s",
    ]) func aRateIsANumberForATime(_ rate: String) {
        BadDescription(
            "1/s", rate,
            "5:19: rate.requests must be a number per s, min, h or d, such as 1/s or 60/min, but it is \"\(rate)\"."
        ).check()
    }

    @Test(arguments: [
        BadDescription("{ requests: 1/s }", "1/s", "5:7: rate must be a mapping: {key: value}"),
        BadDescription(
            "requests: 1/s", "request: 1/s",
            "5:9: There is no key \"request\" in rate. Did you mean \"requests\"?"),
        BadDescription(
            "requests: 1/s", "perday: 5", "5:9: There is no key \"perday\" in rate. Did you mean \"per_day\"?"
        ),
        BadDescription("requests: 1/s", "per_day: 0", "5:18: rate.per_day must be a whole number"),
        BadDescription(
            "requests: 1/s", "parallel: 129", "5:19: rate.parallel must be a whole number from 1 to 128"),
    ]) func aWrongRateIsAnError(_ bad: BadDescription) { bad.check() }

    @Test(arguments: [
        BadDescription.top("blocked: {status: 403, wait: 2m}", "6:10: blocked must be a list"),
        BadDescription.top("blocked: [403]", "6:11: blocked must be a mapping"),
        BadDescription.top(
            "blocked:\n  - { wait: 2m }",
            "7:5: blocked must have exactly one of the keys status, type and header."),
        BadDescription.top(
            "blocked:\n  - { status: 403, type: a/b, wait: 2m }", "7:20: blocked must have exactly one"),
        BadDescription.top(
            "blocked:\n  - { status: 403 }", "7:5: blocked must have exactly one of the keys wait and ended."),
        BadDescription.top(
            "blocked:\n  - { status: 403, wait: 2m, ended: true }", "7:30: blocked must have exactly one"),
        BadDescription.top(
            "blocked:\n  - { stauts: 403, wait: 2m }",
            "7:7: There is no key \"stauts\" in blocked. Did you mean \"status\"?"),
        BadDescription.top(
            "blocked:\n  - { status: 200, wait: 2m }",
            "7:15: blocked.status must be a whole number from 300 to 599"),
        BadDescription.top(
            "blocked:\n  - { type: html, wait: 2m }",
            "7:13: blocked.type must be a media type such as text/html"),
        BadDescription.top(
            "blocked:\n  - { header: \"a b\", wait: 2m }", "7:15: blocked.header must be a name of letters"),
        BadDescription.top(
            "blocked:\n  - { status: 403, ended: false }", "7:27: blocked.ended can only be true"),
    ]) func aWrongBlockIsAnError(_ bad: BadDescription) { bad.check() }

    @Test(arguments: ["2", "m", "2 m", "1.5h", "-2m", "0s", "2w", "2min", "9999999999d", "3651d", "２m"])
    func aWaitIsANumberWithAUnit(_ wait: String) {
        BadDescription.top(
            "blocked:\n  - { status: 403, wait: \(wait) }",
            "7:26: blocked.wait must be a number of seconds, minutes, hours or days, such as 90s, 2m, 1h or 2d, but it is \"\(wait)\"."
        ).check()
    }

    @Test(arguments: [
        BadDescription.top("key: secret", "6:6: key must be a mapping"),
        BadDescription.top(
            "key: { env: MIRROR_KEY_A }", "6:6: key must have exactly one of the keys query and header."),
        BadDescription.top(
            "key: { query: a, header: b, env: MIRROR_KEY_A }", "6:18: key must have exactly one"),
        BadDescription.top(
            "key: { query: a }", "6:6: The key \"env\" is missing in key. Name the environment variable"),
        BadDescription.top(
            "key: { query: \"a&b\", env: MIRROR_KEY_A }", "6:15: key.query must be a name of letters"),
        BadDescription.top(
            "key: { query: a, env: MIRROR_TOKEN }",
            "6:23: key.env must be the name of an environment variable that begins with MIRROR_KEY_"),
        BadDescription.top("key: { query: a, env: AWS_SECRET_ACCESS_KEY }", "6:23: key.env must be the name"),
        BadDescription.top("key: { query: a, env: MIRROR_KEY_ }", "6:23: key.env must be the name"),
        BadDescription.top("key: { query: a, env: MIRROR_KEY_a }", "6:23: key.env must be the name"),
    ]) func aWrongKeyOfAnAPIIsAnError(_ bad: BadDescription) { bad.check() }

    @Test(arguments: [
        BadDescription.top("headers: [a]", "6:10: headers must be a mapping"),
        BadDescription.top("headers: { \"a b\": c }", "6:12: The name of a header field consists of letters"),
        BadDescription.top("headers: { \"a:\": c }", "6:12: The name of a header field consists of letters"),
        BadDescription.top(
            "headers: { Host: c }",
            "6:12: The header field Host can't be set here. The mirror sets it itself."),
        BadDescription.top(
            "headers: { user-agent: c }",
            "6:12: The header field user-agent can't be set here. The mirror names itself."),
        BadDescription.top(
            "headers: { Authorization: c }",
            "6:12: The header field Authorization can't be set here. Secrets don't belong"),
        BadDescription.top(
            "headers: { Accept: a, accept: b }", "6:23: The header field accept is written twice."),
        BadDescription.top(
            "headers: { Accept: \"a\\r\\nHost: b\" }",
            "6:20: headers.Accept contains the control character U+000D."),
        BadDescription.top("headers: { Accept: \"a\\nHost: b\" }", "6:20: headers.Accept must be one line"),
        BadDescription.top(
            "headers: { Accept: é }", "6:20: headers.Accept must be a text of ASCII characters"),
    ]) func aWrongHeaderFieldIsAnError(_ bad: BadDescription) { bad.check() }

    @Test(arguments: [
        BadDescription.top("select: [a]", "6:9: select must be a mapping"),
        BadDescription.top("select: { a: /x }", "6:14: select.a must be a mapping"),
        BadDescription.top(
            "select: { \"a=b\": { get: \"/x?{value}\" } }",
            "6:11: The name of a selection consists of letters"),
        BadDescription.top("select: { a: { window: 5 } }", "6:14: The key \"get\" is missing in select.a."),
        BadDescription.top(
            "select: { a: { get: \"/x?page={page}\" } }", "6:21: select.a.get must contain {value}."),
        BadDescription.top(
            "select: { a: { get: \"/x?a={value}\" } }", "6:21: select.a.get must contain {page}."),
        BadDescription.top(
            "select: { a: { get: \"/x?a={value}&p={page}&d={since:date}\" } }",
            "6:21: select.a.get can't contain {since:date}."),
        BadDescription.top(
            "select: { a: { get: \"/x?a={value}&p={page}\", windwo: 5 } }",
            "6:46: There is no key \"windwo\" in select.a. Did you mean \"window\"?"),
    ]) func aWrongSelectionIsAnError(_ bad: BadDescription) { bad.check() }
}
