"""The checks of a server with users, and of the addresses to which forms lead."""
from mirrors import Server

OUTSIDE = ("//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "/\tx", "")


def login(report, home, name, work):
    """Before the login nothing is shown; after it everything; forms lead only to this server."""
    users, problems = home.folder / "users", []
    users.write_text("anna:correct horse\n")
    users.chmod(0o600)
    with Server(home, "--users-file", str(users)) as server:
        closed = ["/", f"/{name}", f"/{name}.json", f"/{name}/artworks", f"/{name}/artworks.json", f"/{name}/artwork/{work}",
                  f"/{name}/search?q=a", f"/{name}/history", f"/{name}/picture/{'0' * 64}", f"/{name}/artwork/nothing",
                  f"/{name}/api/v1/partner/{name}/all", "/nothing"]
        for path in closed:
            answer = server.get(path)
            if answer.status not in (302, 303, 401, 403) or name.encode() in answer.body.replace(path.encode(), b""):
                problems.append(f"{path} answers {answer.status} with {len(answer.body)} bytes before the login")
        if server.get("/login").status != 200 or server.get("/assets/style.css").status != 200:
            problems.append("the login page or its stylesheet is refused")
        wrong = server.post("/login", name="anna", password="wrong", to=f"/{name}")
        if wrong.status in (302, 303) or "set-cookie" in wrong.headers:
            problems.append(f"a wrong password answers {wrong.status}")
        for to in OUTSIDE:
            location = server.post("/login", name="anna", password="correct horse", to=to).headers.get("location")
            if location != "/":
                problems.append(f"the login leads to {location} for {to}")
        right = server.post("/login", name="anna", password="correct horse", to=f"/{name}/artworks?sort=title")
        cookie = right.headers.get("set-cookie", "")
        if right.status != 303 or right.headers.get("location") != f"/{name}/artworks?sort=title":
            problems.append(f"the right password answers {right.status}, and leads to {right.headers.get('location')}")
        problems += [f"the cookie has no {wanted}" for wanted in ("HttpOnly", "SameSite") if wanted not in cookie]
        for path in (f"/{name}", f"/{name}/artworks.json"):
            if server.get(path, Cookie=cookie.split(";")[0]).status != 200:
                problems.append(f"{path} is refused after the login")
        if server.get(f"/{name}", Cookie=cookie.split(";")[0][:-4] + "0000").status == 200:
            problems.append("a forged cookie is accepted")
    report.check("login", name, problems, f"{len(closed)} addresses are closed before it")


def walls(report, server, name):
    """The switch of the wall's colour returns to the page, and never to another host."""
    problems = []
    for to in OUTSIDE:
        location = server.post("/assets/wall", wall="dark", to=to).headers.get("location")
        if location != "/":
            problems.append(f"the switch leads to {location} for {to}")
    for colour, wanted in (("dark", "dark"), ("white", "white"), ("system", None), ('x"><script>', None)):
        answer = server.post("/assets/wall", wall=colour, to=f"/{name}/artworks?sort=title")
        cookie = answer.headers.get("set-cookie", "").split(";")[0]
        page = server.get(f"/{name}", Cookie=cookie).text
        shown = page.split('data-wall="')[1].split('"')[0] if 'data-wall="' in page else None
        if answer.headers.get("location") != f"/{name}/artworks?sort=title" or shown != wanted:
            problems.append(f"{colour}: leads to {answer.headers.get('location')}, and the wall is {shown}")
    report.check("wall switch", name, problems, "white, dark, system")
