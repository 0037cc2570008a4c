"""Pictures of the main pages, for a person to look at."""
import base64, json, pathlib

from pages import json_path

# Waits until all pictures are decoded, and then for a frame that shows them; at most 5 s.
DECODED = """Promise.race([new Promise(done => setTimeout(done, 5000)),
    Promise.all([...document.images].map(image => { image.loading = 'eager'; return image.decode().catch(() => 0) }))
        .then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))]).then(() => 0)"""


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
                tab.evaluate(DECODED)
                data = tab.call("Page.captureScreenshot", format="png")["data"]
                name_of_file = f"{page}-{width}-{'dark' if dark else 'light'}.png"
                (target / name_of_file).write_bytes(base64.b64decode(data))
    tab.close()
    print(f"      screenshots: {len(list(target.glob('*.png')))} pictures in {target}", flush=True)
