"""What is found on a page in one visit, without holding its pictures back."""

CONTENT = """(() => ({
    text: document.body.innerText.replace(/\\s+/g, ' ').trim(),
    links: [...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')),
}))()"""

OVERFLOW = """(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return null;
    const right = e => e.getBoundingClientRect().right;
    const wide = [...document.querySelectorAll('body *')].filter(e => right(e) > width + 0.5
        && !e.parentElement.closest('.wall, .scroll')).sort((a, b) => right(a) - right(b)).slice(-1)[0];
    const name = e => e.tagName.toLowerCase() + [...e.classList].map(c => '.' + c).join('');
    return document.documentElement.scrollWidth + ' px wide' + (wide ? ', because of ' + name(wide.parentElement) + ' > '
        + name(wide) + ' “' + wide.textContent.trim().slice(0, 40) + '”' : '');
})()"""

# The distances that WCAG 1.4.12 names.
SPACING = """(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }'
        + ' p { margin-bottom: 2em !important }');
    document.adoptedStyleSheets = [sheet];
})()"""

AXE = """axe.run(document, {resultTypes: ['violations'], rules: {'target-size': {enabled: true}}}).then(result =>
    result.violations.map(found => found.id + ' (' + found.nodes.length + '): ' + found.nodes[0].target.join(' ') + ' — '
        + (found.nodes[0].any[0] || found.nodes[0].all[0] || found.nodes[0].none[0] || found).message))"""


class Visit:
    """Opens each page once, and finds everything in it that needs no pictures to be held back."""

    def __init__(self, browser, origin, axe):
        self.origin, self.axe, self.tab = origin, axe, browser.tab()
        self.outside, self.reports, self.violations, self.overflows, self.differences = [], [], [], [], []
        self.pages = 0

    def page(self, path, modes=(False, True), widths=(1280, 390)):
        tab = self.tab
        self.pages += 1
        self.modes = "light and dark" if len(modes) > 1 else "light"
        tab.size(1280)
        tab.dark(False)
        tab.open(self.origin + path)
        with_script = tab.evaluate(CONTENT)
        if self.axe:
            tab.call("Runtime.evaluate", expression=self.axe)
            for width in widths:
                tab.size(width)
                for dark in modes:
                    tab.dark(dark)
                    place = f"{path} at {width}, {'dark' if dark else 'light'}"
                    self.violations += [f"{place}: {found}" for found in tab.evaluate(AXE)]
        for width in (320, 390, 1280):
            tab.size(width)
            if found := tab.evaluate(OVERFLOW):
                self.overflows.append(f"{path} at {width} is {found}")
        for number in range(min(tab.evaluate("document.querySelectorAll('details').length"), 3)):
            tab.size(390)
            tab.evaluate(f"document.querySelectorAll('details')[{number}].open = true")
            if self.axe:
                self.violations += [f"{path} with an open menu: {found}" for found in tab.evaluate(AXE)]
            for width in (320, 390, 1280):
                tab.size(width)
                if found := tab.evaluate(OVERFLOW):
                    self.overflows.append(f"{path} with an open menu at {width} is {found}")
            tab.evaluate(f"document.querySelectorAll('details')[{number}].open = false")
        tab.evaluate(SPACING)
        for width in (320, 1280):
            tab.size(width)
            if found := tab.evaluate(OVERFLOW):
                self.overflows.append(f"{path} with text spacing at {width} is {found}")
        self._noted(path)
        tab.call("Emulation.setScriptExecutionDisabled", value=True)
        tab.size(1280)
        tab.open(self.origin + path)
        without = tab.evaluate(CONTENT)
        tab.call("Emulation.setScriptExecutionDisabled", value=False)
        self._noted(path)
        for name in ("text", "links"):
            if with_script[name] != without[name]:
                self.differences.append(f"{path} has other {name} without the script")

    def _noted(self, path):
        tab = self.tab
        self.outside += [f"{path} requests {url}" for url in tab.requests if not url.startswith(self.origin + "/")]
        self.reports += [f"{path} shows the dialog “{text}”" for text in tab.dialogs]
        self.reports += [f"{path}: {source}: {text}" for source, text in tab.reports
                         if not ("404" in text or "410" in text or "favicon" in text)]

    def report(self, report, subject):
        if not self.pages:
            return
        figures = f"{self.pages} pages"
        if self.axe:
            report.check("axe", subject, self.violations, f"{figures}, at 1280 and 390, {self.modes}")
        report.check("no overflow", subject, self.overflows, f"{figures} at 320, 390 and 1280, and with text spacing")
        report.check("no other host", subject, self.outside, figures)
        report.check("no dialog, no report", subject, self.reports, figures)
        report.check("without script", subject, self.differences, f"{figures} have the same texts and links")
