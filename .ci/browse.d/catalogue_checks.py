"""The checks of whole lists and of the two faces."""
import json, urllib.parse

import fixtures
from mirrors import Server
from pages import Crawl, json_path
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
    """Walking `next` meets every object once, and `previous` returns the same pages. Each order is another one."""
    for kinds, orders in LISTS.items():
        walked = {}
        for order in orders:
            path = f"/{name}/{kinds}" + ("" if order == "?" else order)
            problems, durations = [], []
            try:
                found, pages, durations, total = walk(server, path)
                if len(found) != len(set(found)):
                    problems.append(f"{len(found) - len(set(found)):,} objects come twice")
                if total is not None and total != len(found):
                    problems.append(f"the total is {total:,}, but {len(found):,} were met")
                # All artworks of an imported catalogue changed at once, and are then in the order of their titles.
                same = next((other for other, ids in walked.items() if ids == found and len(ids) > 10), None)
                if same and order != "?sort=change":
                    problems.append(f"the order is that of {same}")
                walked[order] = found
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


def along(report, server, name):
    """From the first artwork of a show, album, artist or list, `next` leads through all of them in their order, and back."""
    for path in (*(f"/{name}/{kinds}" for kinds in ("shows", "albums", "artists")), f"/{name}/artworks?sort=title"):
        problems, steps = [], 0
        if "?" not in path:
            outer = json.loads(server.get(json_path(path)).body)["items"]
            path = outer[0]["href"] if outer else None
        items = json.loads(server.get(json_path(path)).body).get("items", []) if path else []
        wanted = [item["id"] for item in items]
        address, found, previous = items and items[0]["href"], [], None
        while address and len(found) < len(wanted):
            page = json.loads(server.get(json_path(address)).body)
            found.append(page["id"])
            if page.get("along", {}).get("previous") != previous:
                problems.append(f"{address}: previous is {page.get('along', {}).get('previous')}, not {previous}")
            previous, address = address, page.get("along", {}).get("next")
            steps += 1
        if found != wanted:
            problems.append(f"{len(found)} artworks in another order than the {len(wanted)} of the list")
        report.check("along", path or name, problems, f"{steps} artworks")


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
