"""The states of a mirror, of an object and of a picture, and what their pages must say."""
import sqlite3, time

import fixtures
from museum import Museum
from pages import Page


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
        self._expect("/states/artwork/picture-missing", 200, "The file is missing here")
        self._expect("/states/artwork/picture-broken", 200, "The file is no picture")
        self._expect("/states/artwork/processed", 200, "still processing")
        self._expect("/states/artwork/file-lost", 200, "The file is missing here")
        self._expect("/states/artwork/doomed-work", 410, "is gone", "Deleted later")
        self._expect("/states/artwork/doomed", 410, "is gone")
        self._expect("/states/artwork/doomed/history", 200, "Deleted later")
        self._expect("/states/artwork/ghost", 404, "only referred to")
        self._expect("/states/artwork/never-was", 404, "Nothing has this address")
        self._expect("/states/search?q=qqqq", 200, "Nothing here has", "qqqq")
        self._expect("/states/search?q=work+qqqq", 200, "Nothing has both", "qqqq")
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

