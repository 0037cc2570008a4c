import Catalogue
import Foundation
import Hummingbird
import MirrorStore

/// What all pages of a server have in common: the face, the templates and the public address.
struct PageSettings: Sendable {
    let face: Face
    let publicURL: String?
    let templates: PageTemplates

    /// Whether browsers reach the server over https, so that the login's cookie is only sent over https.
    var isSecure: Bool { publicURL?.lowercased().hasPrefix("https://") == true }

    /// The time by the mirror's clock.
    func now(_ store: CatalogueStore) throws -> Timestamp {
        guard let now = Timestamp(store.timestamp()) else { throw Refusal.failed }
        return now
    }

    /// What surrounds the pages of a mirror. It is gathered for each request.
    func frame(of mirror: ServedMirror) throws -> PageFrame {
        try PageFrame(mirror, face: face, publicURL: publicURL, now: now(mirror.store))
    }

    /// The entity tag of the page at an address. It is weak: a page contains what the address, the database, the face, the public
    /// address, the notices, the templates, the hour and the existence of other mirrors decide. Only whether a file was lost
    /// isn't part of it, so that shows in the next hour, or after the next change.
    ///
    /// - Parameter address: the path and query as they were requested. With them, the tag of one page is never that of another.
    func etag(_ mirror: ServedMirror, _ frame: PageFrame, at address: String, wall: String?) throws -> String
    {
        let state = [
            address,
            "\(try mirror.store.generation())", String(try now(mirror.store).text.prefix(13)), "\(face)",
            wall ?? "",
            templates.version, publicURL ?? "", "\(frame.hasOtherMirrors)",
            frame.notices.map { "\($0.strong) \($0.text)" }.joined(separator: "\n"),
        ]
        return "W/" + EntityTag.strong(of: state.joined(separator: "\n"))
    }

    // MARK: - The wall's colour

    private static let cookieName = "Wall"
    private static let walls = ["white", "dark"]

    /// The colour that the reader chose; `nil` for the system's.
    func wall(_ headers: HTTPFields) -> String? {
        let pairs = (headers[.cookie] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        return Self.walls.first { pairs.contains("\(Self.cookieName)=\($0)"[...]) }
    }

    /// The cookie with a chosen colour. Any value but `white` and `dark` removes it.
    static func wallCookie(_ wall: String?) -> String {
        let chosen = walls.first { $0 == wall }
        return
            "\(cookieName)=\(chosen ?? ""); Path=/; SameSite=Lax; Max-Age=\(chosen == nil ? 0 : 31_536_000)"
    }
}
