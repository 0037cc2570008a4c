import Catalogue
import Hummingbird
import MirrorStore

/// Answers requests for pages: everything beside the Partner API.
struct PageRoutes {
    let server: CatalogueResponder
    let settings: PageSettings

    func answer(_ request: Request, _ target: PageTarget) async throws -> Response {
        let method = request.method
        switch (target.place, method) {
        case (.stylesheet, .get), (.stylesheet, .head):
            return PageHeaders.response(
                .ok, settings.templates.stylesheet, type: "text/css; charset=utf-8", isPublic: true)
        case (.script, .get), (.script, .head):
            return PageHeaders.response(
                .ok, settings.templates.script, type: "text/javascript; charset=utf-8", isPublic: true)
        case (.wall, .post): return try await chooseWall(request)
        case (.login, .get), (.login, .head): return loginPage(to: target["to"], isRefused: false, request)
        case (.login, .post): return try await logIn(request)
        case (.wall, _): throw Refusal.methodNotAllowed([.post])
        case (.login, _): throw Refusal.methodNotAllowed([.get, .head, .post])
        case (_, .get), (_, .head): break
        default: throw Refusal.methodNotAllowed([.get, .head])
        }
        guard server.access.admits(request.headers) else {
            guard !isForPrograms(target, request.headers) else {
                var response = Refusal.unauthorised.response
                PageHeaders.add(to: &response)
                return response
            }
            guard !server.access.users.isEmpty else { return bare(Self.needsUsers, at: target, request) }
            return PageHeaders.redirect(
                .seeOther, to: "/login?" + PageQuery.encode([NameValue("to", target.link)]))
        }
        let headers = request.headers
        return try await offloadBlocking { try page(target, Reply(headers: headers)) }
    }

    /// Whether a target isn't a page that people read: the JSON of a page, or a picture, unless a browser shows it as a page.
    private func isForPrograms(_ target: PageTarget, _ headers: HTTPFields) -> Bool {
        guard Destination.isPage(target.raw) else { return true }
        guard case .picture? = PageAddress.parse(target.segments.dropFirst()) else { return false }
        return headers[.accept]?.lowercased().contains("text/html") != true
    }

    // MARK: - Pages

    private func page(_ target: PageTarget, _ reply: Reply) throws -> Response {
        let names = try server.mirrors.names()
        guard case .below(let name) = target.place else {
            if names.count == 1 { return PageHeaders.redirect(.found, to: "/\(names[0])") }
            return bare(MirrorsPage(names.compactMap(listed)), at: target, reply.headers)
        }
        let hasOthers = names.count > 1
        if let mirror = try server.mirrors.mirror(named: name) {
            return try page(target, target.segments.dropFirst(), of: mirror, hasOthers: hasOthers, reply)
        }
        if let json = PageAddress.withoutSuffix(name), let mirror = try server.mirrors.mirror(named: json) {
            return try page(target, [PageAddress.suffix], of: mirror, hasOthers: hasOthers, reply)
        }
        // With only one mirror, `/artist/x` and `/artworks.json` lead to it.
        let segments = target.segments[...]
        if names.count == 1, PageAddress.parse(segments) != nil || PageAddress.parseJSON(segments) != nil {
            return PageHeaders.redirect(.found, to: "/\(names[0])" + PageTarget.local(target.raw))
        }
        guard Destination.isPage(target.raw) else { throw Refusal.notFound }
        return bare(MessagePage.unknownMirror, at: target, reply.headers)
    }

    /// A mirror in the list; `nil` if it was removed meanwhile. One that can't be read doesn't hide the others.
    private func listed(_ name: String) -> MirrorsPage.Entry? {
        do {
            return try server.mirrors.mirror(named: name).map {
                let mirror = $0
                return try mirror.store.atOneInstant {
                    MirrorsPage.Entry(try settings.frame(of: mirror), name: name)
                }
            }
        } catch {
            server.onProblem(error)
            return MirrorsPage.Entry(unreadable: name)
        }
    }

    /// A page of a mirror, all of which is read at one instant: a sync may be writing.
    private func page(
        _ target: PageTarget, _ segments: ArraySlice<String>, of mirror: ServedMirror, hasOthers: Bool,
        _ reply: Reply
    ) throws -> Response {
        try mirror.store.atOneInstant {
            try gathered(target, segments, of: mirror, hasOthers: hasOthers, reply)
        }
    }

    private func gathered(
        _ target: PageTarget, _ segments: ArraySlice<String>, of mirror: ServedMirror, hasOthers: Bool,
        _ reply: Reply
    ) throws -> Response {
        let clock = ContinuousClock(), start = clock.now
        var frame = try settings.frame(of: mirror)
        frame.hasOtherMirrors = hasOthers
        let wall = settings.wall(reply.headers)
        let context = PageContext(
            mirror: mirror, frame: frame, target: target, now: try settings.now(mirror.store))
        let etag = try settings.etag(mirror, frame, at: target.raw, wall: wall)
        let condition = reply.headers[.ifNoneMatch] ?? ""
        // `*` matches any page that exists, which is known only after the page was found.
        let isAny = condition.filter { $0 != " " && $0 != "\t" } == "*"
        if !isAny, EntityTag.isListedWeakly(etag, in: condition) { return PageHeaders.notModified(etag) }
        var response: Response
        switch try PageFinder(context: context).find(segments) {
        case .redirect(let path): return PageHeaders.redirect(.found, to: path)
        case .file(let file, let name):
            response =
                try self.file(file, name: name, of: mirror, reply)
                ?? render(AbsentPage.lostFile, isJSON: false, context, wall: wall, etag: nil)
        case .page(let page, let isJSON):
            if isAny, page.status == .ok { return PageHeaders.notModified(etag) }
            // An address that no page has is for programs, too, if it ends like the JSON of one.
            let isProgram = page.status == .notFound && !Destination.isPage(target.raw)
            response = try render(
                page, isJSON: isJSON || isProgram, context, wall: wall, etag: page.status == .ok ? etag : nil)
        }
        if let name = PageHeaders.serverTiming {
            let hundredths = (clock.now - start) / .microseconds(10)
            response.headers[name] = "page;dur=\(hundredths.rounded() / 100)"
        }
        return response
    }

    private func render(
        _ page: some WebPage, isJSON: Bool, _ context: PageContext, wall: String?, etag: String?
    ) throws -> Response {
        let json = context.jsonPath
        if isJSON {
            return PageHeaders.response(
                page.status, JSONValue.object(try page.json).canonicalText, type: "application/json",
                etag: etag)
        }
        let shown = context.frame.shown(
            around: page, at: context.target, json: page.status == .ok ? json : nil, wall: wall,
            version: settings.templates.version)
        var response = html(page, shown, etag)
        let alternate = "<\(json)>; rel=\"alternate\"; type=\"application/json\""
        // Proxies refuse long headers.
        if page.status == .ok, alternate.utf8.count <= PageTarget.longestLink, let link = PageHeaders.link {
            response.headers[link] = alternate
        }
        return response
    }

    /// A page outside a mirror.
    private func bare(_ page: some RenderedPage, at target: PageTarget, _ headers: HTTPFields) -> Response {
        let shown = PageFrame.shown(
            title: page.title, page, target, settings.wall(headers), settings.templates.version)
        // Who has not logged in does not see which face the pages have.
        let isStaff = settings.face == .staff && server.access.admits(headers)
        let around: Shown = ["isPrivate": true, "isStaff": .flag(isStaff)]
        return html(page, shown.with(around).with(page.shown), nil)
    }

    private func bare(_ page: some RenderedPage, at target: PageTarget, _ request: Request) -> Response {
        bare(page, at: target, request.headers)
    }

    /// The page of an error, with the headers that belong to it.
    func refused(_ refusal: Refusal, _ request: Request) -> Response {
        let raw = request.head.path ?? ""
        // A long address isn't repeated on the page.
        let target = raw.utf8.count <= PageTarget.longestLink ? PageTarget.parse(raw) : nil
        var response = bare(
            MessagePage(refusal),
            at: target ?? PageTarget(place: .mirrors, segments: [], query: [], raw: "/"), request)
        let headers = refusal.response.headers
        for name in [HTTPFields.Element.Name.allow, .retryAfter, .contentRange] {
            if let value = headers[name] { response.headers[name] = value }
        }
        return response
    }

    private func html<P: RenderedPage>(_ page: P, _ shown: Shown, _ etag: String?) -> Response {
        guard let text = settings.templates.render(P.template, shown) else { return Refusal.failed.response }
        return PageHeaders.response(page.status, text, type: "text/html; charset=utf-8", etag: etag)
    }

    /// A stored file; `nil` if it is no longer complete in the mirror's folder.
    private func file(_ file: StoredFile, name: String?, of mirror: ServedMirror, _ reply: Reply) throws
        -> Response?
    {
        guard let open = try OpenFile(file, in: mirror.files) else { return nil }
        var response = try reply.file(open, etag: "\"\(file.hash)\"", type: ServedType(file.type))
        PageHeaders.add(to: &response)
        if let name {
            response.headers[.contentDisposition] =
                "attachment; filename*=UTF-8''\(PercentEncoding.encode(name))"
        }
        return response
    }

    // MARK: - Forms

    private static let needsUsers = MessagePage(
        .forbidden, code: "pages_need_users", title: "These pages need a login",
        [
            MessagePage.Paragraph(
                "This server has an access token for programs, but no users. Start it with",
                code: "--users-file", after: " to let people log in.")
        ])

    private func loginPage(to: String?, isRefused: Bool, _ request: Request) -> Response {
        let target = PageTarget(place: .login, segments: ["login"], query: [], raw: "/login")
        return bare(LoginPage(to: Self.destination(to), isRefused: isRefused), at: target, request)
    }

    private func logIn(_ request: Request) async throws -> Response {
        let form = try await RequestContent.form(of: request)
        guard let name = form["name"], let password = form["password"],
            let session = try server.access.logIn(name: name, password: password)
        else { return loginPage(to: form["to"], isRefused: true, request) }
        var response = PageHeaders.redirect(.seeOther, to: Self.destination(form["to"]))
        response.headers[.setCookie] = LoginSessions.cookie(session, isSecure: settings.isSecure)
        return response
    }

    /// The path to which a login leads: never back to the form.
    private static func destination(_ to: String?) -> String {
        let path = PageTarget.local(to)
        return PageTarget.parse(String(path.prefix { $0 != "#" }))?.place == .login ? "/" : path
    }

    private func chooseWall(_ request: Request) async throws -> Response {
        let form = try await RequestContent.form(of: request)
        var response = PageHeaders.redirect(.seeOther, to: PageTarget.local(form["to"]))
        response.headers[.setCookie] = PageSettings.wallCookie(form["wall"])
        return response
    }
}
