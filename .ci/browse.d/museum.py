"""A museum's server that offers part 1 of the Partner API: the fixtures that `mirror sync` copies."""
import http.server, json, struct, threading, urllib.parse, zlib


def picture(width, height, colour):
    """A PNG of one colour."""
    row = b"\0" + bytes(colour) * width

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b""))


def image(name, **fields):
    """An entry of a picture; its files are made by the server, as `name` says: WIDTHxHEIGHT, `missing`, or `broken`."""
    return {"id": name, "image_url": f"pictures/{name}/:version.jpg", "image_versions": ["medium", "larger", "normalized"],
            **fields}


class Museum:
    """The catalogue of a museum, which may be changed between two syncs."""

    def __init__(self, name):
        self.partner = {"id": name, "name": name.capitalize()}
        self.user = None
        self.objects = {kind: {} for kind in ("artwork", "artist", "show", "album", "location", "document")}
        # Lists of ids: of the artworks of a show, album or location, and of the documents of a show or artist.
        self.members, self.images, self.texts = {}, {}, {}
        self.hangs = False

    def add(self, kind, **fields):
        self.objects[kind][fields["id"]] = fields
        return fields["id"]

    def answer(self, path, query):
        """The body for a path below the base, and its type; `None` if there is nothing."""
        match [urllib.parse.unquote(part) for part in path.strip("/").split("/")]:
            case ["me"]:
                return self.user
            case ["artwork" | "artist" as kind, key]:
                return self.objects[kind].get(key)
            case ["partner", _]:
                return self.partner
            case ["partner", _, "all"]:
                return self.partner
            case ["partner", _, "artworks", "all"]:
                return self.members.get(("location", query.get("partner_location_id", "")), [])
            case ["partner", _, "artworks" | "artists" | "shows" | "albums" | "locations" as kinds]:
                return list(self.objects[kinds[:-1]])
            case ["partner", _, "show" | "album" | "location" as kind, key]:
                return self.objects[kind].get(key)
            case ["partner", _, kind, key, "artworks"]:
                return self.members.get((kind, key), [])
            case ["partner", _, kind, key, "documents"]:
                return self.members.get((kind, key, "documents"), [])
            case ["partner", _, _, _, "document", key]:
                return self.objects["document"].get(key)
            case ["partner_show", key, "images"]:
                shown = self.images.get((key, query.get("default")), [])
                return shown if query.get("page", "1") == "1" else []
            case ["texts", key]:
                return self.texts.get(key)
            case ["pictures", name, _]:
                return self.file(name)
        return None

    @staticmethod
    def file(name):
        if "missing" in name:
            return None
        if "broken" in name:
            return b"\xff\xd8\xff" + b"not a picture" * 20
        width, height = (int(part) for part in name.split("_")[0].split("x"))
        return picture(width, height, [(sum(name.encode()) * step) % 200 + 40 for step in (3, 5, 7)])

    def serve(self):
        """Answers on a free port of this machine until the program ends; returns the address."""
        museum = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                if museum.hangs:
                    threading.Event().wait(60)
                path, _, query = self.path.partition("?")
                found = museum.answer(path.removeprefix("/api/v1"), dict(urllib.parse.parse_qsl(query)))
                body = found if isinstance(found, bytes) else json.dumps(found).encode()
                kind = "application/octet-stream" if isinstance(found, bytes) else "application/json"
                self.send_response(404 if found is None else 200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_PUT(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
