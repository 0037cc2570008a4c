"""The checks of whole lists, of the two faces and of the states."""
import json, sqlite3, time, urllib.parse

import fixtures
from mirrors import Server
from museum import Museum
from pages import Crawl, Page, json_path
from report import percentile

LISTS = {"artists": ("?",), "shows": ("?",), "albums": ("?",), "locations": ("?",),
         "artworks": ("?", "?sort=title", "?sort=date", "?sort=change")}


def walk(server, path):
    """The ids of a list, page by page, forwards by `next`; the addresses of its pages; the times in the server; its total."""
    found, pages, durations, total, address = [], [], [], None, path
    while address:
        answer = server.get(json_path(address))
        if answer.status != 200:
            raise ValueError(f"{address} answers {answer.status}")
        page = json.loads(answer.body)
        durations.append(answer.duration or 0)
        ids = [item["id"] for item in page["items"]]
        pages.append((address, ids, page["previous"]))
        found += ids
        total = page["total"] if total is None else total
        address = page["next"]
        if len(pages) > 20_000:
            raise ValueError(f"{path} does not end after 20,000 pages")
    return found, pages, durations, total


def lists(report, server, name, is_measured):
    """Walking `next` meets every object once, and `previous` returns the same pages."""
    for kinds, orders in LISTS.items():
        for order in orders:
            path = f"/{name}/{kinds}" + ("" if order == "?" else order)
            problems, durations = [], []
            try:
                found, pages, durations, total = walk(server, path)
                if len(found) != len(set(found)):
                    problems.append(f"{len(found) - len(set(found)):,} objects come twice")
                if total is not None and total != len(found):
                    problems.append(f"the total is {total:,}, but {len(found):,} were met")
                # Backwards from the last page, at most 200 pages. Pages made backwards have other limits than those made
                # forwards, if the first is not full, so only the order is compared.
                back, address = [], pages[-1][2]
                start = len(found) - len(pages[-1][1])
                for _ in range(200):
                    if not address:
                        break
                    page = json.loads(server.get(json_path(address)).body)
                    back = [item["id"] for item in page["items"]] + back
                    address = page["previous"]
                if back != found[start - len(back):start]:
                    problems.append("`previous` returns other objects, or another order, than `next`")
                if not address and len(back) != start:
                    problems.append(f"`previous` ends {start - len(back):,} objects before the beginning")
                figures = f"{len(found):,} objects on {len(pages):,} pages"
                if is_measured:
                    p99 = percentile(durations, 0.99)
                    figures += f", p99 {p99:.1f} ms"
                    problems += [f"p99 is {p99:.1f} ms"] * (p99 >= 10)
            except (ValueError, KeyError) as error:
                problems, figures = [f"{type(error).__name__}: {error}"], "not walked"
            report.check("walk", path, problems, figures)


# MARK: faces

SEEDS = ("/artwork/shut", "/artwork/shut-work", "/artwork/shut/history", "/artwork/shut-work/history", "/album/inner",
         "/album/inner/history", "/artist/hidden-artist", "/search?q=zqsecret", "/search?q=open", "/artworks?sort=title",
         "/artworks?availability=for+sale", "/artworks?.department=zqsecret", "/album/inner/artwork/open", "/show/show/artwork/shut",
         "/artist/open-artist/artwork/shut", "/history", "/artwork/open-work/history", "/album/public/artwork/open-work")


def faces(report, home):
    """Secrets in hidden fields appear in no byte that the public may see; staff see them."""
    museum, plant = fixtures.secrets()
    home.sync(museum)
    home.run("note", "add", "artwork", "open", "zqsecret1note")
    home.run("note", "add", "artist", "hidden-artist", "zqsecret1hidden")
    plant(2)
    home.sync(museum)
    del museum.objects["artwork"]["shut"]
    for key in list(museum.members):
        museum.members[key] = ["open"]
    home.sync(museum, "--max-delete", "100%")
    leaks, seen, found = [], {False: set(), True: set()}, {}
    for staff in (False, True):
        with Server(home, *(["--staff"] if staff else [])) as server:
            crawl = Crawl(server, "secrets", 300, SEEDS)
            found[staff] = len(crawl.pages)
            for path in [*crawl.pages, *(f"/secrets{seed}" for seed in SEEDS)]:
                for form in (path, json_path(path)):
                    answer = server.get(form)
                    text = answer.text + repr(sorted(answer.headers.items()))
                    # What was asked for may be repeated.
                    asked = urllib.parse.unquote_plus(urllib.parse.urlsplit(path).query)
                    for word in set(_words(text)) - set(_words(asked)):
                        seen[staff].add(word)
                        if not staff:
                            leaks.append(f"{form} shows {word}")
            if not staff:
                total = json.loads(server.get("/secrets/artworks.json").body).get("total")
                if total not in (1, None):
                    leaks.append(f"the number of artworks is {total}, with the hidden ones")
                for word in ("zqsecret1title", "zqsecret2price", "zqsecret2notes", "zqsecret2album", "zqsecret1note"):
                    answer = json.loads(server.get(f"/secrets/search.json?q={word}").body)
                    if answer.get("items") or answer.get("others") or answer.get("artists"):
                        leaks.append(f"a search for {word} finds something")
    report.check("faces", "public", leaks, f"{found[False]} pages and their JSON, no secret")
    few = [] if len(seen[True]) >= 12 else [f"staff see only {sorted(seen[True])}"]
    report.check("faces", "staff", few, f"{found[True]} pages, {len(seen[True])} secrets are seen")


def _words(text):
    """The secrets in a text, also those whose middle is marked."""
    plain = text.replace("<mark>", "").replace("</mark>", "")
    words = plain.split("zqsecret")[1:]
    return ["zqsecret" + "".join(_until(word)) for word in words if _until(word)]


def _until(word):
    for character in word:
        if not character.isalnum():
            return word[:word.index(character)]
    return word


# MARK: states

class States:
    """A mirror for each state. `expected` is a list of path, status and the texts that the page must have."""

    def __init__(self, home, demo):
        self.home, self.expected, self.staff, self.started, self.museums = home, [], [], [], []
        self._objects()
        self._strips(demo)

    def _expect(self, path, status, *texts):
        self.expected.append((path, status, texts))

    def _objects(self):
        museum = fixtures.states()
        self.home.sync(museum)
        del museum.objects["artwork"]["doomed"]
        self.home.sync(museum)
        self._lose(self.home.folder / "states", "file-lost")
        self._expect("/states/artwork/several", 200, "Anna Painter", "Berta Painter", "Clara Painter", "Painted by three")
        self._expect("/states/artwork/untitled", 200, "Untitled")
        self._expect("/states/artwork/no-picture", 200, "No picture")
        self._expect("/states/artwork/picture-missing", 200, "not here")
        self._expect("/states/artwork/picture-broken", 200)
        self._expect("/states/artwork/processed", 200, "still processing")
        self._expect("/states/artwork/file-lost", 200)
        self._expect("/states/artwork/doomed-work", 410, "is gone", "Deleted later")
        self._expect("/states/artwork/doomed", 410, "is gone")
        self._expect("/states/artwork/doomed/history", 200, "Deleted later")
        self._expect("/states/artwork/ghost", 404, "only referred to")
        self._expect("/states/artwork/never-was", 404, "Nothing has this address")
        self._expect("/states/search?q=qqqq", 200, "Nothing here has", "qqqq")
        self._expect("/states/search?q=work+qqqq", 200, "Nothing has all of", "qqqq")
        self._expect("/states/artworks?category=nothing", 200, "No artwork has all of these")
        self._expect("/states/album/empty-album", 200, "Empty album")
        self._expect("/states/show/ghostly", 200, "Show with a ghost")

    @staticmethod
    def _lose(folder, artwork):
        """Removes the files of an artwork's pictures."""
        database = sqlite3.connect(folder / "mirror.sqlite")
        hashes = {found for found, in database.execute(
            "SELECT image_file.hash FROM image_file JOIN image ON image.pk = image WHERE artwork_id = ?", [artwork])}
        database.close()
        for file in (folder / "media").rglob("*"):
            if file.is_file() and any(found and found[2:] in file.name for found in hashes):
                file.unlink()

    def _strips(self, demo):
        failed = fixtures.states()
        failed.partner["id"] = "failed"
        self.home.sync(failed)
        self.home.run("sync", "failed", "--from", "http://127.0.0.1:9", "--fail-fast", "--new-origin", codes=range(256))
        self._expect("/failed", 200, "The last sync failed")

        guarded = fixtures.states()
        guarded.partner["id"] = "guarded"
        self.home.sync(guarded)
        for number in range(30):
            del guarded.objects["artwork"][f"more-{number}"]
        self.home.sync(guarded, codes=(4,))
        self._expect("/guarded", 200, "Waiting for a decision")
        self._expect("/guarded/history", 200, "Waiting for a decision")
        self.staff.append(("/guarded/history", 200, ("Nothing is removed until you decide", "--max-delete")))

        old = fixtures.states()
        old.partner["id"] = "old"
        self.home.sync(old)
        self._age(self.home.folder / "old" / "mirror.sqlite")
        self._expect("/old", 200, "This copy is", "old.")

        first = Museum("first")
        first.hangs = True
        self.museums.append(first)
        self.started.append(self._hanging(first))
        self._expect("/first", 200, "nothing yet", "under way")

        # A sync that was killed before its first answer leaves an empty mirror; another one makes sure that none is running.
        nothing = Museum("nothing")
        nothing.hangs = True
        self.museums.append(nothing)
        process = self._hanging(nothing)
        process.kill()
        process.wait()
        self.home.run("sync", "nothing", "--from", "http://127.0.0.1:9", "--new-origin", "--fail-fast", codes=(1,))
        self._expect("/nothing", 200, "nothing yet", "mirror sync nothing")

        self.home.run("sync", "demo", "--no-media", "--quiet", codes=range(256)) if demo else None
        self._expect("/demo/artwork/the-starry-night", 200, "Picture not here yet") if demo else None

    def _hanging(self, museum):
        """A first sync that waits for its first answer."""
        name = museum.partner["id"]
        process = self.home.start("sync", name, "--from", museum.serve(), "--quiet")
        end = time.monotonic() + 10
        while not (self.home.folder / name / "mirror.sqlite").exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)
        return process

    @staticmethod
    def _age(path):
        """Moves all times of a mirror's runs 30 days into the past."""
        database = sqlite3.connect(path)
        for column in ("started_at", "ended_at"):
            database.execute(f"UPDATE sync_log SET {column} = strftime('%Y-%m-%dT%H:%M:%fZ', {column}, '-30 days')")
        database.commit()
        database.close()

    def check(self, report, server, is_staff=False):
        problems, expected = [], self.staff if is_staff else self.expected
        for path, status, texts in expected:
            answer = server.get(path)
            for _ in range(2):
                if answer.status in (302, 303):
                    answer = server.get(answer.headers["location"])
            text = " ".join(" ".join(Page(answer.text).texts).split())
            if answer.status != status:
                problems.append(f"{path} answers {answer.status}, not {status}")
            problems += [f"{path} does not say “{wanted}”" for wanted in texts if wanted not in text]
        report.check("states", "staff" if is_staff else "public", problems, f"{len(expected)} pages")

    def stop(self):
        for process in self.started:
            process.terminate()
        for museum in self.museums:
            museum.stop()

