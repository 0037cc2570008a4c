"""The checks in headless Chromium."""
import base64, http.server, os, subprocess, tempfile, threading, time

from pages import kind

WIDTHS = (320, 390, 768, 1024, 1280, 1920)

SHIFTS = """(() => {
    window.shifts = 0; window.shiftSources = [];
    new PerformanceObserver(list => { for (const entry of list.getEntries()) {
        window.shifts += entry.value;
        for (const source of entry.sources) if (source.node) window.shiftSources.push(
            (source.node.tagName || 'text') + ' ' + (source.node.className || ''));
    } }).observe({type: 'layout-shift', buffered: true});
})()"""

PAINTED = """(() => {
    const paint = performance.getEntriesByType('paint').find(entry => entry.name === 'first-contentful-paint');
    const captions = [...document.querySelectorAll('.tag, .label')];
    const seen = captions.filter(e => e.innerText.trim() && e.getBoundingClientRect().height > 0);
    return {paint: paint ? paint.startTime : null, captions: captions.length, seen: seen.length,
        loaded: [...document.images].filter(i => i.complete && i.naturalWidth).length};
})()"""


def first_paint(report, subject, browser, origin, paths):
    """The captions are painted while all pictures are held back."""
    tab, problems, times = browser.tab(), [], []
    tab.on_pause = lambda details: None
    tab.call("Fetch.enable", patterns=[{"urlPattern": "*", "resourceType": "Image"}])
    for path in paths:
        tab.open(origin + path, until="Page.domContentEventFired")
        end = time.monotonic() + 3
        while (state := tab.evaluate(PAINTED))["paint"] is None and time.monotonic() < end:
            time.sleep(0.05)
        if state["paint"] is None:
            problems.append(f"{path} painted nothing within 3 s")
        else:
            times.append(state["paint"])
        if state["seen"] < state["captions"] or state["loaded"]:
            problems.append(f"{path}: {state['seen']} of {state['captions']} captions, {state['loaded']} pictures")
    tab.close()
    report.check("first paint", subject, problems,
                 f"{len(paths)} pages without pictures, after at most {max(times, default=0):.0f} ms")


def layout_shifts(report, subject, browser, origin, paths, delay=1.0):
    """Nothing moves while pictures arrive one second late, and while the page is scrolled. All widths at the same time."""
    problems, largest = [], 0.0
    tabs = {width: browser.tab(width) for width in WIDTHS}
    for tab in tabs.values():
        def late(details, tab=tab):
            threading.Timer(delay, tab.send, ["Fetch.continueRequest"], {"requestId": details["requestId"]}).start()
        tab.on_pause = late
        tab.call("Fetch.enable", patterns=[{"urlPattern": "*", "resourceType": "Image"}])
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=SHIFTS)
    for path in paths:
        for tab in tabs.values():
            tab.open(origin + path, until="Page.domContentEventFired")
        time.sleep(delay + 0.3)
        for tab in tabs.values():
            tab.evaluate("window.scrollTo(0, document.documentElement.scrollHeight / 2)")
        time.sleep(0.2)
        for tab in tabs.values():
            tab.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
        time.sleep(delay + 0.3)
        for width, tab in tabs.items():
            value, sources = tab.evaluate("[window.shifts, window.shiftSources.slice(0, 3)]")
            largest = max(largest, value)
            if value > 0:
                problems.append(f"{path} at {width}: {value:.4f}, {', '.join(sources)}")
    for tab in tabs.values():
        tab.close()
    report.check("nothing moves", subject, problems, f"{len(paths)} pages at {len(WIDTHS)} widths, CLS at most {largest:.4f}")


FOCUSED = """(() => {
    const e = document.activeElement;
    if (!e || e === document.body || e === document.documentElement) return null;
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    const rects = [...e.getClientRects()].filter(r => r.width && r.height);
    const inside = r => r.right > 0 && r.bottom > 0 && r.left < innerWidth && r.top < innerHeight;
    const seen = (rects.length ? rects : [box]).some(r => {
        const x = Math.min(Math.max((r.left + r.right) / 2, 1), innerWidth - 1);
        const y = Math.min(Math.max((r.top + r.bottom) / 2, 1), innerHeight - 1);
        const hit = document.elementFromPoint(x, y);
        return inside(r) && hit && (e.contains(hit) || hit.contains(e) || e.querySelector('*') === hit);
    });
    const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), summary, [tabindex="0"]')]
        .filter(e => e.checkVisibility());
    const outline = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== 'none'
        || e.namespaceURI.endsWith('svg');
    return {index: all.indexOf(e), count: all.length, seen, outline,
        name: e.tagName.toLowerCase() + ' “' + (e.getAttribute('aria-label') || e.textContent).trim().slice(0, 40) + '”'};
})()"""


def focus_walk(report, subject, browser, origin, paths, most=400):
    """Tab reaches every control once, in order, in view, with an outline, and leaves the page at the end."""
    problems, stops = [], 0
    tab = browser.tab()
    for path in paths:
        tab.open(origin + path)
        tab.call("Page.bringToFront")
        indices, count = [], 0
        for _ in range(most):
            tab.press("Tab", 9)
            focus = tab.evaluate(FOCUSED)
            if focus is None or focus["index"] in indices:
                break
            stops += 1
            indices.append(focus["index"])
            count = focus["count"]
            if not focus["seen"]:
                problems.append(f"{path}: {focus['name']} has the focus, but is not in view or is covered")
            if not focus["outline"]:
                problems.append(f"{path}: {focus['name']} has the focus, but no outline")
        if indices != sorted(indices):
            problems.append(f"{path}: the focus does not follow the document")
        if len(indices) < min(count, most) or not indices:
            problems.append(f"{path}: Tab reaches {len(indices)} of {count} controls")
    tab.close()
    report.check("focus", subject, problems, f"{len(paths)} pages, {stops} stops")


def keys(report, browser, server, path):
    """What the script does: Esc and a click outside close a menu, the arrow keys lead to the next and the previous artwork."""
    problems, tab = [], browser.tab()
    tab.open(server.origin + path)
    is_open = "document.querySelector('details.menu').open"
    ways = {"Esc": lambda: tab.press("Escape", 27), "a click outside": lambda: tab.evaluate("document.body.click()")}
    for name, close in ways.items():
        tab.evaluate("document.querySelector('details.menu').open = true")
        close()
        if tab.evaluate(is_open):
            problems.append(f"{name} does not close a menu")
    tab.open(server.origin + tab.evaluate("document.querySelector('.hang a').getAttribute('href')"))
    first = tab.evaluate("location.href")
    wanted = tab.evaluate("document.querySelector('main a[rel=next]').href")
    for key, code, address in (("ArrowRight", 39, wanted), ("ArrowLeft", 37, first)):
        tab.press(key, code)
        end = time.monotonic() + 5
        while tab.evaluate("location.href + document.readyState") != address + "complete" and time.monotonic() < end:
            time.sleep(0.05)
        if tab.evaluate("location.href") != address:
            problems.append(f"{key} leads to {tab.evaluate('location.href')}, not {address}")
    tab.close()
    report.check("keys", path, problems, "Esc, a click outside, arrow keys")


def not_framed(report, browser, server, path):
    """A page of another origin can't show ours in a frame."""
    body = f'<!doctype html><title>Frame</title><iframe src="{server.origin}{path}"></iframe>'.encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    # With threads, because Chromium opens connections on which it sends nothing.
    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    other.daemon_threads = True
    threading.Thread(target=other.serve_forever, daemon=True).start()
    tab = browser.tab()
    tab.open(f"http://127.0.0.1:{other.server_port}/")
    time.sleep(0.5)
    refused = any("frame-ancestors" in text or "X-Frame-Options" in text for _, text in tab.reports)
    frames = tab.call("Page.getFrameTree")["frameTree"].get("childFrames", [])
    shown = [frame["frame"]["url"] for frame in frames if "unreachableUrl" not in frame["frame"]
             and frame["frame"]["url"].startswith(server.origin)]
    other.shutdown()
    other.server_close()
    tab.close()
    problems = ([] if refused else ["Chromium did not refuse the frame"]) + [f"it shows {url}" for url in shown]
    report.check("no frame", path, problems, "refused in a frame of another origin")


def printed(report, subject, browser, origin, work, show=None):
    """The PDF of an artwork has its label on page 1; that of a show has every work of its list; neither has the navigation."""
    problems, figures = [], []
    for path, wanted in (work, show) if show else (work,):
        tab = browser.tab()
        tab.open(origin + path)
        pdf = base64.b64decode(tab.call("Page.printToPDF", preferCSSPageSize=True)["data"])
        tab.close()
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "page.pdf")
            with open(file, "wb") as output:
                output.write(pdf)
            last = ["-l", "1"] if kind(path).startswith("artwork") else []
            done = subprocess.run(["pdftotext", "-f", "1", *last, file, "-"], stdout=subprocess.PIPE, check=True)
        text = " ".join(done.stdout.decode().split())
        problems += [f"{path}: “{line}” is not in the print" for line in wanted if " ".join(line.split()) not in text]
        problems += [f"{path}: the navigation is printed"] * ("Skip to the content" in text or "Search" in text[:200])
        figures.append(f"{path}: {len(wanted)} texts")
    report.check("print", subject, problems, "; ".join(figures))
