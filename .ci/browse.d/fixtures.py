"""The fixtures: a catalogue with hostile text in every field, one with secrets in every hidden field, and the states."""
from museum import Museum, image

# The combining acute accent after a quote makes it another character for code that compares characters.
HOSTILE = ('#%d"\u0301 onerror=alert(%d) x="\'><hostile onmouseover=alert(%d)></title></textarea></script></style></svg>'
           '<script>alert(%d)</script><img src=x onerror=alert(%d)>{{heading}}{{{heading}}}&quot;&lt;\u202e\u0007 end')
ADDRESSES = ("javascript:alert(%d)//", "data:text/html,<script>alert(%d)</script>", "https://example.org/\"onclick=alert(%d)",
             "//example.org/%d", "https://example.org/%d<hostile>")

ARTWORK_TEXTS = ("title", "display", "category", "medium", "date", "availability", "series", "signature", "provenance",
                 "literature", "exhibition_history", "additional_information", "image_rights", "inventory_id", "metric",
                 "department", "culture", "price", "internal_display_price", "confidential_notes", "on\"load=alert(1)")
ARTIST_TEXTS = ("name", "sortable_id", "display_name", "first", "middle", "last", "years", "birthday", "deathday",
                "nationality", "hometown", "awards", "biography", "blurb", "statement")


class Payloads:
    """Hostile texts, each with its own number."""

    def __init__(self):
        self.number = 0

    def text(self):
        self.number += 1
        return HOSTILE.replace("%d", str(self.number))

    def address(self):
        self.number += 1
        return ADDRESSES[self.number % len(ADDRESSES)] % self.number

    def texts(self, names):
        return {name: self.text() for name in names}


def hostile():
    museum, make = Museum("hostile"), Payloads()
    museum.partner.update(make.texts(("name", "type", "region", "email", "contract_type")), website=make.address())
    script = b"<script>alert('document')</script>"
    ids = ["plain", 'a"onclick="alert(1)', "<hostile>", "../../artists", "x.json", "a/b?c#d", "%2e%2e", "ü\u0301\"", "{{x}}"]
    for number, key in enumerate(ids):
        museum.add("artist", id=key, **make.texts(ARTIST_TEXTS), image_url=make.address())
        slug = {"slug": make.text()} if number % 2 else {}
        museum.add(
            "artwork", id=key, **slug, **make.texts(ARTWORK_TEXTS), published=True, width=make.text() if number % 3 else 40,
            height=60, dimensions={"in": make.text(), "cm": make.text()}, website=make.address(), url=make.address(),
            artists=[{"id": key, "name": make.text()}, {"id": "plain"}],
            images=[image(f"400x600_{number}{make.text() if number == 1 else ''}", caption=make.text(), is_default=True),
                    image(f"600x400_{number}", caption=make.text()), image(f"missing_{number}", caption=make.text())],
            edition_sets=[{"id": key, "prices": [make.text()],
                           **make.texts(("edition_size", "editions", "artist_proofs", "availability", "duration"))}])
        location = museum.add("location", id=key, **make.texts(
            ("name", "address", "address_2", "city", "state", "postal_code", "country", "phone")))
        museum.add("show", id=key, **make.texts(("name", "status", "description")), location_id=location,
                   start_at="2026-01-01T00:00:00Z" if number % 2 else make.text(), end_at="2036-01-01T00:00:00Z",
                   artists=[{"id": key}])
        museum.add("album", id=key, **make.texts(("name", "description")), private=False)
        museum.images[key, "0"] = [image(f"900x600_show{number}", caption=make.text())]
        museum.images[key, "1"] = [image(f"900x600_cover{number}", caption=make.text(), is_default=True)]
        for kind in ("show", "album", "location"):
            museum.members[kind, key] = list(ids)
        document = f"d{number}" if number else 'd"onclick=alert(1)'
        museum.add("document", id=document, title=make.text(), filename=make.text() + ".html",
                   uri=f"texts/{number}", size=len(script))
        museum.texts[str(number)] = script
        museum.members["show", key, "documents"] = museum.members["artist", key, "documents"] = [document]
    return museum


def secrets():
    """A catalogue with hidden fields. Returns the museum and a function that changes every secret."""
    museum = Museum("secrets")

    def plant(version):
        def secret(name):
            return f"zqsecret{version}{name}"

        museum.partner.update(
            name="The House of Secrets", contract_type=secret("contract"), relative_size=secret("size"),
            subscription_plans_names=[secret("plan")], admin={"id": "adm", "name": secret("admin"), "email": secret("mail")},
            partner_flags={"flag": secret("flag")})
        museum.user = {"id": "u", "name": secret("user"), "type": "User", "email": secret("usermail")}
        museum.add("artist", id="open-artist", name="Open Artist", confidential_notes=secret("artistnotes"))
        museum.add("artist", id="hidden-artist", name="Artist of a hidden work")
        museum.add(
            "artwork", id="open", slug="open-work", title=f"Open work {version}", published=True, date="1900",
            artists=[{"id": "open-artist"}], availability="for sale", price=secret("price"),
            internal_display_price=secret("internal"), confidential_notes=secret("notes"), private_remark=secret("remark"),
            edition_sets=[{"id": "e", "edition_size": "10", "prices": [secret("edition")]}],
            images=[image("400x600_open", caption="Seen")])
        museum.add(
            "artwork", id="shut", slug="shut-work", title=secret("title"), medium=secret("medium"), published=False,
            category=secret("category"), department=secret("department"), date="1700",
            artists=[{"id": "hidden-artist"}, {"id": "open-artist"}],
            images=[image("500x500_shut", caption=secret("caption"))])
        museum.add("album", id="public", name="Public album", description="For all", private=False)
        museum.add("album", id="inner", name=secret("album"), description=secret("description"), private=True)
        museum.add("show", id="show", name="Show", description="Open", start_at="2026-01-01", end_at="2036-01-01",
                   price_list=secret("pricelist"))
        museum.add("location", id="room", name="Room", internal_code=secret("code"))

    for kind, key in (("album", "public"), ("album", "inner"), ("show", "show"), ("location", "room")):
        museum.members[kind, key] = ["open", "shut"]
    plant(1)
    return museum, plant


def states():
    """A catalogue with one object for each state of an object and of a picture."""
    museum = Museum("states")
    for number, artist in enumerate(("Anna", "Berta", "Clara")):
        museum.add("artist", id=artist.lower(), name=f"{artist} Painter")
    everyone = [{"id": key} for key in museum.objects["artist"]]
    museum.add("artwork", id="several", title="Painted by three", date="1850", artists=everyone,
               images=[image("400x600_several")])
    museum.add("artwork", id="untitled", artists=everyone[:1], images=[image("600x400_untitled")])
    museum.add("artwork", id="no-picture", title="Without a picture", artists=everyone[:1])
    museum.add("artwork", id="picture-missing", title="Not on the server", images=[image("missing_1")])
    museum.add("artwork", id="picture-broken", title="No picture in the file", images=[image("broken_1")])
    museum.add("artwork", id="processed", title="Still processed", images=[image("400x400_processed", image_versions=[])])
    museum.add("artwork", id="file-lost", title="File lost", images=[image("300x500_lost")])
    museum.add("artwork", id="doomed", slug="doomed-work", title="Deleted later", artists=everyone[:1],
               images=[image("500x400_doomed")])
    for number in range(30):
        museum.add("artwork", id=f"more-{number}", title=f"Work {number}", date=str(1900 + number), artists=everyone[1:2],
                   width=10 + number, height=20, metric="cm", images=[image(f"{400 + number * 9}x600_more")])
    museum.add("show", id="ghostly", name="Show with a ghost", start_at="2026-01-01", end_at="2036-01-01")
    museum.members["show", "ghostly"] = ["several", "ghost", "untitled", "file-lost", "more-1", "more-2"]
    museum.add("album", id="empty-album", name="Empty album", private=False)
    return museum
