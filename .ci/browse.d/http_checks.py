"""The checks that need no browser."""
import json, urllib.parse

from pages import kind
from report import percentile

POLICY = ("default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; "
          "frame-ancestors 'none'")
HEADERS = {"content-security-policy": POLICY, "referrer-policy": "no-referrer", "x-content-type-options": "nosniff",
           "cross-origin-resource-policy": "same-origin"}
PAGE, GRID, STYLE, SCRIPT = 60_000, 30_000, 20_000, 6_000


def kilobytes(count):
    return f"{count / 1000:.1f} kB"


def sizes(report, subject, crawl):
    """HTML ≤ 60 kB, an unfiltered or filtered grid of artworks ≤ 30 kB."""
    problems = []
    largest = {True: (0, ""), False: (0, "")}
    for path, answer in crawl.answers.items():
        grid = kind(path) == "list of artworks"
        size = len(answer.body)
        largest[grid] = max(largest[grid], (size, path))
        if size > (GRID if grid else PAGE):
            problems.append(f"{path} has {kilobytes(size)}")
    report.check("bytes of pages", subject, problems,
                 f"{len(crawl.answers)} pages, at most {kilobytes(largest[False][0])} ({largest[False][1]}); "
                 f"grids at most {kilobytes(largest[True][0])} ({largest[True][1]})")


def assets(report, server, crawl):
    """The stylesheet and the script that the pages name."""
    first = next(iter(crawl.pages))
    page = crawl.pages[first]
    links = [(link["href"], STYLE) for link in page.attributes("link", rel="stylesheet")]
    links += [(script["src"], SCRIPT) for script in page.attributes("script")]
    problems, figures = [], []
    for link, limit in links:
        answer = server.get(server.local(link, first))
        figures.append(f"{urllib.parse.urlsplit(link).path} {kilobytes(len(answer.body))}")
        if answer.status != 200 or len(answer.body) > limit:
            problems.append(f"{link} answers {answer.status} with {kilobytes(len(answer.body))}; the limit is {kilobytes(limit)}")
    if len(links) != 2:
        problems.append(f"{first} has {len(links)} stylesheets and scripts, not 2")
    report.check("bytes of assets", "all mirrors", problems, ", ".join(figures))


def timing(report, subject, crawl, server, is_measured, repeats=3):
    """Server-Timing of all pages and their JSON: p99 < 10 ms. A debug build is not measured."""
    durations = list(crawl.durations)
    for _ in range(repeats - 1):
        for path in crawl.pages:
            answer = server.get(path)
            if answer.duration is not None:
                durations.append((answer.duration, path))
    if not durations:
        return report.check("time in the server", subject, ["no page has Server-Timing"], "nothing measured")
    times = [duration for duration, _ in durations]
    p99, (slowest, where) = percentile(times, 0.99), max(durations)
    figures = (f"{len(times)} requests, p50 {percentile(times, 0.5):.1f} ms, p99 {p99:.1f} ms, "
               f"at most {slowest:.1f} ms ({where})")
    if not is_measured:
        return report.skip("time in the server", subject, figures + "; a debug build is not held to 10 ms")
    slow = sorted(((duration, path) for duration, path in durations if duration >= 10), reverse=True)
    report.check("time in the server", subject,
                 [f"{path} took {duration:.1f} ms" for duration, path in slow] if p99 >= 10 else [], figures)


def links(report, subject, crawl, server, most_files=150):
    """Every link and picture of a page exists, and every page says where its JSON is."""
    problems = list(crawl.broken)
    for path in sorted(crawl.files)[:most_files]:
        answer = server.get(path, method="HEAD")
        if answer.status != 200:
            problems.append(f"{path} answers {answer.status}, from {crawl.found_on.get(path)}")
        disposition = answer.headers.get("content-disposition", "")
        if kind(path) == "document" and not disposition.startswith("attachment"):
            problems.append(f"{path} is no download")
        if kind(path) == "picture" and answer.type not in ("image/jpeg", "image/png", "image/gif", "image/webp"):
            problems.append(f"{path} has the type {answer.type}")
    pages = 0
    for path, page in crawl.pages.items():
        if crawl.answers[path].status != 200:
            continue
        alternate = page.alternate()
        answer = server.get(server.local(alternate, path)) if alternate else None
        try:
            json.loads(answer.body if answer and answer.status == 200 else b"-")
            pages += 1
        except ValueError:
            problems.append(f"{path}: its JSON {alternate} answers {answer and answer.status} {answer and answer.type}")
            continue
        if f"<{alternate}>" not in crawl.answers[path].headers.get("link", ""):
            problems.append(f"{path} has no header Link with its JSON")
    report.check("links", subject, problems,
                 f"{len(crawl.pages)} pages, {pages} with JSON, {len(crawl.files)} files; kinds: "
                 + ", ".join(sorted({kind(path) for path in crawl.pages})))


def headers(report, subject, crawl, server):
    """The headers of every page and file, and 304 for a page that didn't change."""
    problems, conditional = [], 0
    answers = dict(crawl.answers)
    for path in sorted(crawl.files)[:20]:
        answers[path] = server.get(path)
    for path, answer in answers.items():
        for name, value in HEADERS.items():
            if answer.headers.get(name) != value:
                problems.append(f"{path}: {name} is {answer.headers.get(name)}")
        if "access-control-allow-origin" in answer.headers:
            problems.append(f"{path} allows other origins")
        if answer.status == 200 and answer.type.startswith("text/html"):
            etag = answer.headers.get("etag")
            again = server.get(path, If_None_Match=etag) if etag else answer
            conditional += again.status == 304
            if again.status != 304 or again.body:
                problems.append(f"{path} answers {again.status} to its own entity tag {etag}")
    report.check("headers", subject, problems, f"{len(answers)} answers, {conditional} answer 304 when nothing changed")


def markup(report, subject, crawl):
    """No element or attribute comes from data, and nothing is fetched from elsewhere."""
    problems = []
    for path, page in crawl.pages.items():
        seen = []
        for tag, attributes in page.elements:
            seen += [f"<{tag} {name}>" for name in attributes if name.startswith("on") or name in ("style", "srcdoc")]
            seen += [f"<{tag}>" for _ in "1" if tag in ("hostile", "iframe", "object", "embed", "base", "style")]
            if tag == "script" and not attributes.get("src", "").startswith("/assets/script.js"):
                seen.append("a script that is not /assets/script.js")
            for name in ("src", "href", "action", "poster", "srcset", "data"):
                value = attributes.get(name, "").strip()
                scheme = urllib.parse.urlsplit(value).scheme.lower() if value else ""
                local = value.startswith("/") and not value.startswith(("//", "/\\")) or value.startswith(("#", "?"))
                outside = tag == "a" and scheme in ("http", "https") or tag == "link" and attributes.get("rel") == "canonical"
                if value and not local and not outside:
                    seen.append(f"<{tag} {name}=\"{value[:60]}\">")
        if len(page.attributes("h1")) != 1:
            seen.append(f"{len(page.attributes('h1'))} h1")
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        seen += [f"the id {name} twice" for name in set(ids) if ids.count(name) > 1]
        problems += [f"{path} has {what}" for what in dict.fromkeys(seen)]
    elements = sum(len(page.elements) for page in crawl.pages.values())
    report.check("markup", subject, problems, f"{len(crawl.pages)} pages, {elements:,} elements")


def hosts(report, server, names):
    """A foreign `Host` gets 421 everywhere."""
    problems, asked = [], 0
    paths = ["/", f"/{names[0]}", f"/{names[0]}/artworks", f"/{names[0]}.json", f"/{names[0]}/api/v1/partner/{names[0]}/all",
             "/assets/style.css", "/login"]
    for host in ("evil.example", "evil.example:%d" % server.port, "127.0.0.1.evil.example", "localhost.evil.example", "x@127.0.0.1"):
        for path in paths:
            answer = server.get(path, Host=host)
            asked += 1
            if answer.status != 421:
                problems.append(f"{path} with the host {host} answers {answer.status}")
    for host in ("localhost:%d" % server.port, "127.0.0.1", "[::1]:%d" % server.port):
        if server.get(f"/{names[0]}", Host=host).status != 200:
            problems.append(f"the host {host} is refused")
    report.check("foreign hosts", names[0], problems, f"{asked} requests, 421 each")


def bad_input(report, server, name, artwork):
    """Requests that no link makes: a proper status each, no 5xx, and never another host's address."""
    base, long = f"/{name}", "a" * 10_000
    cases = {
        f"{base}/artwork/nothing-has-this": 404, f"{base}/artwork/{long}": 404, f"{base}/nonsense": 404, "/nonsense/x": 404,
        f"{base}/artwork/%00": None, f"{base}/artwork/%ff%fe": None, f"{base}/artwork/..%2f..%2fetc%2fpasswd": 404,
        f"{base}/artworks?after=forged": 200, f"{base}/artworks?before={long}": 200, f"{base}/artworks?sort=nonsense": 200,
        f"{base}/artworks?category=%22%3E%3Cscript%3E": 200, f"{base}/artworks?nothing=1&nothing=2&&=": 200,
        f"{base}/search?q={long}": 200, f"{base}/search?q=%22*%20OR%20NEAR(": 200, f"{base}/search?q=": 200, f"{base}/search": 200,
        f"{base}/search?q=%3Cscript%3Ealert(1)%3C/script%3E%22%CC%81": 200,
        f"{base}/history/run/0": 404, f"{base}/history/run/99999999999999999999": 404, f"{base}/history?after=forged": 200,
        f"{base}/picture/{'0' * 64}": 404, f"{base}/picture/..%2f..": 404, f"{base}/artwork/{artwork}?picture=-1": 200,
        f"{base}/artwork/{artwork}?picture=99999999999999999999": 200, f"{base}/artwork/{artwork}?in={long}": 200,
        f"{base}/artwork/{artwork}?in=sort%3Dtitle": 200, f"{base}/show/none/artwork/{artwork}": None,
        "//evil.example/": None, f"/{name}//": None, "/%2f%2fevil.example": None, "/assets/../etc/passwd": None,
    }
    problems = []
    for path, status in cases.items():
        answer = server.get(path)
        location = answer.headers.get("location", "/")
        shown = path if len(path) < 90 else path[:87] + "…"
        if answer.status >= 500 or status and answer.status != status:
            problems.append(f"{shown} answers {answer.status}, not {status or 'a 4xx'}")
        if not location.startswith("/") or location.startswith(("//", "/\\")):
            problems.append(f"{shown} redirects to {location}")
    report.check("bad input", name, problems, f"{len(cases)} requests")
