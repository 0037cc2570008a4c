"""What is on a page, and which pages there are: reads HTML, and follows links."""
import collections, html.parser, urllib.parse


class Page(html.parser.HTMLParser):
    """The elements, links and texts of an HTML page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.links, self.texts = [], [], []
        self.title = ""
        self.path = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = {name: value or "" for name, value in attributes}
        self.elements.append((tag, attributes))
        self.path.append(tag)
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])

    def handle_endtag(self, tag):
        while tag in self.path and self.path.pop() != tag:
            pass

    def handle_data(self, data):
        if self.path[-1:] == ["title"] and "svg" not in self.path:
            self.title += data
        self.texts.append(data)

    def attributes(self, tag, **wanted):
        return [found for name, found in self.elements
                if name == tag and all(found.get(key) == value for key, value in wanted.items())]

    def alternate(self):
        """The address of the page's JSON."""
        return next((link["href"] for link in self.attributes("link", rel="alternate")), None)


def kind(path):
    """The kind of a page, by its path below `/{mirror}`."""
    bare = urllib.parse.urlsplit(path).path
    parts = bare.strip("/").split("/")[1:]
    match parts:
        case []:
            return "home"
        case ["search" | "history" as name]:
            return name
        case ["history", "run", _]:
            return "run"
        case ["picture", _]:
            return "picture"
        case [_, _, "history"]:
            return "object history"
        case [_, _, "document", _]:
            return "document"
        case [outer, _, "artwork", _]:
            return f"artwork in {outer}"
        case [name]:
            return f"list of {name}"
        case [name, _]:
            return name
    return "other"


def json_path(path):
    """The path of the JSON of a page."""
    split = urllib.parse.urlsplit(path)
    return split.path + ".json" + (f"?{split.query}" if split.query else "")


class Crawl:
    """The pages that are reached from the first page of a mirror, those of every kind alike."""

    def __init__(self, server, name, limit, seeds=()):
        self.server, self.base = server, f"/{name}"
        self.pages, self.answers, self.broken, self.durations = {}, {}, [], []
        self.files, self.found_on = set(), {}
        waiting = collections.defaultdict(collections.deque)
        seen = set()

        def add(path, source):
            if path in seen or not (path + "/").replace("?", "/").startswith(self.base + "/"):
                return
            seen.add(path)
            self.found_on[path] = source
            if kind(path) in ("picture", "document"):
                self.files.add(path)
            else:
                waiting[kind(path)].append(path)

        for seed in (self.base, *(self.base + seed for seed in seeds)):
            add(seed, "the command")
        while any(waiting.values()) and len(self.pages) < limit:
            for queue in list(waiting.values()):
                if queue and len(self.pages) < limit:
                    self._read(queue.popleft(), add)

    def _read(self, path, add):
        answer = self.server.get(path)
        if answer.status in (301, 302, 303, 307, 308):
            return add(self.server.local(answer.headers["location"], path), path)
        if answer.status == 200 and answer.type == "application/json":
            return
        if answer.status not in (200, 404, 410) or not answer.type.startswith("text/html"):
            self.broken.append(f"{path} answers {answer.status} {answer.type}, from {self.found_on[path]}")
            return
        page = Page(answer.text)
        self.answers[path] = answer
        self.pages[path] = page
        if answer.duration is not None:
            self.durations.append((answer.duration, path))
        for link in page.links:
            # The JSON of a page is not a page.
            if link != page.alternate() and (local := self.server.local(link, path)):
                add(local, path)
        for attributes in page.attributes("img") + page.attributes("image"):
            if local := self.server.local(attributes.get("src") or attributes.get("href", ""), path):
                self.files.add(local)
                self.found_on.setdefault(local, path)

    def sample(self, each, kinds=None):
        """At most this number of pages of every kind, the shortest and the longest among them."""
        groups = collections.defaultdict(list)
        for path in self.pages:
            if kinds is None or kind(path) in kinds:
                groups[kind(path)].append(path)
        chosen = []
        for paths in groups.values():
            paths = [path for path in paths if self.answers[path].status == 200] or paths
            by_size = sorted(paths, key=lambda path: len(self.answers[path].body))
            chosen += dict.fromkeys(by_size[-1:] + by_size[:max(0, each - 1)])
        return chosen
