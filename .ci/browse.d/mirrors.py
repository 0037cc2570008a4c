"""The program under test: mirrors are made by its commands, and served by `mirror serve`."""
import http.client, os, pathlib, subprocess, time, urllib.parse


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    @property
    def type(self):
        return self.headers.get("content-type", "")

    @property
    def duration(self):
        """The time in the server, in ms, by its own measurement; `None` if it didn't say."""
        value = self.headers.get("server-timing", "")
        return float(value.split("dur=")[1].split(",")[0]) if "dur=" in value else None


class Home:
    """A folder with mirrors."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "MIRROR_HOME": str(self.folder)}

    def run(self, *arguments, codes=(0,)):
        """Runs a command of `mirror`. Any other exit code than the expected ones is an error."""
        done = subprocess.run([self.program, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode not in codes:
            raise SystemExit(f"mirror {' '.join(arguments)} ended with {done.returncode}:\n"
                             + done.stdout.decode("utf-8", "replace")[-2000:])
        return done.stdout.decode("utf-8", "replace")

    def start(self, *arguments):
        return subprocess.Popen([self.program, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def read(self, name):
        """Reads a mirror's database, so that the times of its pages are those of the server rather than of the disk."""
        with open(self.folder / name / "mirror.sqlite", "rb") as file:
            while file.read(1 << 20):
                pass

    def sync(self, museum, *arguments, codes=(0,)):
        """Serves a museum, and copies it."""
        address = museum.serve()
        self.run("sync", museum.partner["id"], "--from", address, "--quiet", *arguments, codes=codes)
        museum.stop()


class Server:
    """`mirror serve` on a free port."""

    def __init__(self, home, *arguments):
        port_file = home.folder / f"port-{time.monotonic_ns()}"
        log = open(home.folder / "serve.log", "ab")
        self.process = subprocess.Popen(
            [home.program, "serve", "--port", "0", "--port-file", str(port_file), *arguments], env=home.environment,
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + 60
        while not port_file.exists():
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit("mirror serve did not start:\n" + (home.folder / "serve.log").read_text()[-2000:])
            time.sleep(0.02)
        self.port = int(port_file.read_text())
        port_file.unlink()
        self.origin = f"http://127.0.0.1:{self.port}"
        self.connection = None

    def post(self, path, **fields):
        """Sends a form, as a page's own form does."""
        return self.get(path, "POST", urllib.parse.urlencode(fields).encode(), Origin=self.origin,
                        Content_Type="application/x-www-form-urlencoded")

    def get(self, path, method="GET", body=None, **headers):
        """Requests a path, which is sent as it is, over one connection."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        for attempt in (1, 2):
            self.connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                self.connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
                for name, value in headers.items():
                    self.connection.putheader(name, value)
                if body is not None:
                    self.connection.putheader("Content-Length", str(len(body)))
                self.connection.endheaders(body)
                response = self.connection.getresponse()
                fields = {name.lower(): value for name, value in response.getheaders()}
                return Answer(response.status, fields, response.read())
            except (http.client.HTTPException, OSError):
                # The server may have closed a connection that was not used for some time.
                self.connection.close()
                self.connection = None
                if attempt == 2:
                    raise

    def local(self, address, base):
        """The path of a link on this server, without the fragment; `None` for another host's."""
        full = urllib.parse.urldefrag(urllib.parse.urljoin(self.origin + base, address)).url
        return (full[len(self.origin):] or "/") if full.startswith(self.origin + "/") or full == self.origin else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
