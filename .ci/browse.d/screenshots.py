"""Pictures of the main pages, for a person to look at."""
import base64, json, pathlib, time

from pages import json_path


def take(browser, server, name, folder):
    """Writes PAGE-WIDTH-MODE.png for each of the main pages. The whole page is in the picture, up to 6,000 pixels."""
    def first(path, key="items"):
        items = json.loads(server.get(path).body).get(key) or [None]
        return items[0] and items[0]["href"]

    base = f"/{name}"
    show = first(f"{base}/shows.json")
    inside = show and first(json_path(show))
    pages = {
        "home": base, "artworks": f"{base}/artworks", "artwork": first(f"{base}/artworks.json"), "artwork-in-show": inside,
        "artists": f"{base}/artists", "artist": first(f"{base}/artists.json"), "shows": f"{base}/shows", "show": show,
        "albums": f"{base}/albums", "album": first(f"{base}/albums.json"), "locations": f"{base}/locations",
        "location": first(f"{base}/locations.json"), "search": f"{base}/search?q=the", "history": f"{base}/history",
        "nothing": f"{base}/artwork/nothing",
    }
    target = pathlib.Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    tab = browser.tab()
    for page, path in pages.items():
        if not path:
            continue
        for width in (1280, 390):
            for dark in (False, True):
                tab.size(width)
                tab.dark(dark)
                tab.open(server.origin + path)
                height = min(tab.evaluate("document.documentElement.scrollHeight"), 6_000)
                # In a window as high as the page, all pictures are in view, and so are loaded.
                tab.size(width, max(height, 600))
                end = time.monotonic() + 3
                while not tab.evaluate("[...document.images].every(i => i.complete)") and time.monotonic() < end:
                    time.sleep(0.05)
                data = tab.call("Page.captureScreenshot", format="png")["data"]
                name_of_file = f"{page}-{width}-{'dark' if dark else 'light'}.png"
                (target / name_of_file).write_bytes(base64.b64decode(data))
    tab.close()
    print(f"      screenshots: {len(list(target.glob('*.png')))} pictures in {target}", flush=True)
