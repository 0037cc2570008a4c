"""Headless Chromium over the DevTools protocol, through pipes: nothing but Python's own library is needed."""
import fcntl, json, os, queue, shutil, subprocess, tempfile, threading, time


class BrowserError(Exception):
    pass


class Browser:
    """A running Chromium. Names of hosts are never resolved, so that it can reach nothing but this machine."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="browse-")
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()
        # Chromium reads commands from descriptor 3 and writes answers to 4.
        read_commands, write_answers = (fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (read_commands, write_answers))

        def descriptors():
            os.dup2(read_commands, 3)
            os.dup2(write_answers, 4)

        flags = ["--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--no-first-run",
                 "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-sync",
                 "--disable-component-update", "--hide-scrollbars", "--force-color-profile=srgb",
                 "--font-render-hinting=none", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        # Chromium's sandbox doesn't start as root, as in a container.
        flags += ["--no-sandbox"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen(
            [program, *flags, "about:blank"], pass_fds=(3, 4), preexec_fn=descriptors,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_answers)
        self.lock, self.number, self.waiting, self.tabs = threading.Lock(), 0, {}, {}
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, method, parameters, session=None, answer=None):
        """Sends a command without waiting for its answer, which goes to a queue."""
        with self.lock:
            self.number += 1
            message = {"id": self.number, "method": method, "params": parameters}
            if session:
                message["sessionId"] = session
            if answer:
                self.waiting[self.number] = answer
            data = json.dumps(message).encode() + b"\0"
            while data:
                data = data[os.write(self.commands, data):]

    def call(self, method, session=None, timeout=60, **parameters):
        answer = queue.Queue()
        self.send(method, parameters, session, answer)
        try:
            message = answer.get(timeout=timeout)
        except queue.Empty:
            raise BrowserError(f"Chromium did not answer {method} in {timeout} s.") from None
        if "error" in message:
            raise BrowserError(f"Chromium refused {method}: {message['error'].get('message')}")
        return message["result"]

    def tab(self, width=1280, height=900, dark=False):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = self.tabs[session] = Tab(self, target, session)
        for domain in ("Page", "Network", "Log", "Runtime"):
            tab.call(f"{domain}.enable")
        tab.size(width, height)
        tab.dark(dark)
        return tab

    def close(self):
        try:
            self.call("Browser.close", timeout=5)
        except (BrowserError, OSError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _read(self):
        rest = b""
        while data := os.read(self.answers, 1 << 20):
            *messages, rest = (rest + data).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    if answer := self.waiting.pop(message["id"], None):
                        answer.put(message)
                elif tab := self.tabs.get(message.get("sessionId")):
                    tab.happened(message["method"], message["params"])


class Tab:
    """A tab, and what happened in it since the last page was opened."""

    def __init__(self, browser, target, session):
        self.browser, self.target, self.session = browser, target, session
        self.moments = queue.Queue()
        self.on_pause = None
        self.requests, self.dialogs, self.reports = [], [], []

    def call(self, method, **parameters):
        return self.browser.call(method, session=self.session, **parameters)

    def send(self, method, **parameters):
        self.browser.send(method, parameters, self.session)

    def happened(self, event, details):
        """Runs in the thread that reads, so it must not wait for an answer."""
        if event == "Network.requestWillBeSent":
            self.requests.append(details["request"]["url"])
        elif event == "Page.javascriptDialogOpening":
            self.dialogs.append(details["message"])
            self.send("Page.handleJavaScriptDialog", accept=False)
        elif event == "Log.entryAdded":
            self.reports.append((details["entry"]["source"], details["entry"]["text"]))
        elif event == "Runtime.exceptionThrown":
            self.reports.append(("exception", details["exceptionDetails"]["text"]))
        elif event == "Fetch.requestPaused" and self.on_pause:
            self.on_pause(details)
        elif event in ("Page.loadEventFired", "Page.domContentEventFired"):
            self.moments.put(event)

    def size(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, dark):
        value = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def open(self, address, until="Page.loadEventFired", timeout=30):
        self.requests, self.dialogs, self.reports = [], [], []
        self.moments = queue.Queue()
        self.call("Page.navigate", url=address)
        end = time.monotonic() + timeout
        while True:
            try:
                if self.moments.get(timeout=max(0, end - time.monotonic())) == until:
                    return
            except queue.Empty:
                raise BrowserError(f"{address} did not load in {timeout} s.") from None

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def press(self, key, code, shift=False):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      modifiers=8 if shift else 0)

    def close(self):
        self.browser.tabs.pop(self.session, None)
        self.browser.call("Target.closeTarget", targetId=self.target)
