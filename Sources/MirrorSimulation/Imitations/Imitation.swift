import Catalogue
import MirrorDemo

// Imitations of museums' servers, which hold any catalogue in the JSON Lines form.
//
// - `Imitation` is one museum's server as a value: a request in, an answer out. Each is written from what is published about
//   the real one, and its tests quote those lines.
// - `ImitatedCatalogue` is what all of them serve. `ArtworkRecord` is an artwork of it as a museum knows it, and each
//   imitation gives its fields the names and forms of its museum.
// - `ImitatedMuseum` holds an imitation with its clock: tests call it in their own process, and `mirror-bench imitate` serves
//   it over HTTP.
// - `ImitationFault` names what can go wrong. Each fault is switched on and off by itself, and depends on the seed alone.
//
// A museum numbers its objects. `MuseumNumber` makes the numbers from the catalogue's ids, always the same ones.

/// The server of one museum, as a value.
package protocol Imitation: Sendable {
    /// The API's base on the museum's own host.
    static var base: String { get }
    /// The host of the museum's pictures.
    static var pictureHost: String { get }
    /// What can go wrong at this museum.
    static var faults: [ImitationFault] { get }

    var state: ImitationState { get set }
    init(_ state: ImitationState)

    /// Answers a `GET` of the API.
    ///
    /// - Parameter path: the segments below the base.
    mutating func answer(_ path: [String], _ request: ImitationRequest) -> ImitationAnswer

    /// Answers a `GET` on the picture host.
    func picture(_ path: [String], _ request: ImitationRequest) -> ImitationAnswer

    /// The artwork's id in this museum.
    func id(ofArtwork id: String) -> String

    /// The value of `--select department=…` for a department; `nil`, the default, if the museum's list can't be limited to one.
    static func selection(ofDepartment name: String) -> String?

    /// Whether a path may be requested by `POST`.
    static func acceptsPost(_ path: [String]) -> Bool
}

extension Imitation {
    package func id(ofArtwork id: String) -> String { String(MuseumNumber.of(id)) }

    package static func selection(ofDepartment name: String) -> String? { nil }

    package static func acceptsPost(_ path: [String]) -> Bool { false }

    /// Answers any request: on the API's host, on the picture host, and on a host of this machine that stands for both.
    mutating func respond(_ request: ImitationRequest) -> ImitationAnswer {
        state.begin(request.now)
        let isRead = request.method == "GET" || request.method == "HEAD"
        if let picture = picturePath(request) {
            return isRead ? self.picture(picture, request) : .status(405)
        }
        guard let own = apiPath(request) else { return .status(404) }
        guard isRead || request.method == "POST" && Self.acceptsPost(own) else { return .status(405) }
        return answer(own, request)
    }

    /// The path on the picture host; `nil` for a request of the API.
    ///
    /// Where one host stands for both, the name of the picture host is the first segment.
    private func picturePath(_ request: ImitationRequest) -> [String]? {
        let path = request.target.segments
        if request.origin != nil { return path.first == Self.pictureHost ? Array(path.dropFirst()) : nil }
        // A museum's picture host may be its web site, but never the host of its API.
        return request.host == Self.pictureHost ? path : nil
    }

    /// The path below the base. Where one host stands for all, the base's own path may be left out.
    private func apiPath(_ request: ImitationRequest) -> [String]? {
        let path = request.target.segments
        let base = Self.base.split(separator: "/").dropFirst().map(String.init), root = base.dropFirst()
        guard request.origin != nil || request.host == base.first else { return nil }
        if path.starts(with: root) { return Array(path.dropFirst(root.count)) }
        return request.origin == nil ? nil : path
    }

    /// An address on the picture host, percent-encoded as the museum writes it.
    static func pictureURL(_ path: String, _ request: ImitationRequest) -> String {
        "\(request.origin.map { "\($0)/" } ?? "https://")\(pictureHost)/\(path)"
    }

    /// An address of the API.
    static func apiURL(_ path: String, _ request: ImitationRequest) -> String {
        guard let origin = request.origin else { return base + path }
        return origin + base.split(separator: "/").dropFirst(2).map { "/\($0)" }.joined() + path
    }
}

/// A request as an imitation sees it.
package struct ImitationRequest: Sendable {
    package var method: String
    package var host: String
    package var target: RequestTarget
    /// By names in lower case.
    package var headers: [String: String]
    package var body: [UInt8]
    /// The server's clock.
    package var now: Timestamp
    /// The address that stands for all hosts of the museum, without a slash at its end; `nil` where each has its own.
    package var origin: String?

    /// The last item of that name in the query.
    subscript(name: String) -> String? { target[name] }

    /// A number in the query; the default if the item is missing; `nil` if it is no whole number of `least` or more.
    func number(_ name: String, default value: Int, least: Int = 0) -> Int? {
        guard let text = self[name] else { return value }
        guard let number = Int(text), number >= least else { return nil }
        return number
    }
}

/// An answer of an imitation.
package struct ImitationAnswer: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// A JPEG that is drawn from an id, in one of the formats of ``Picture``.
        case picture(id: String, format: String, aspectRatio: Double?)
    }

    package var status = 200
    package var headers: [String: String] = [:]
    package var body: Body
    /// Whether the connection ends in the middle of the body.
    package var isCutOff = false

    static func json(_ object: JSONObject, status: Int = 200) -> ImitationAnswer {
        ImitationAnswer(
            status: status, headers: ["Content-Type": "application/json"],
            body: .bytes(object.canonicalBytes))
    }

    static func html(_ text: String, status: Int, _ headers: [String: String] = [:]) -> ImitationAnswer {
        let type = ["Content-Type": "text/html; charset=utf-8"]
        return ImitationAnswer(
            status: status, headers: type.merging(headers) { $1 }, body: .bytes(Array(text.utf8)))
    }

    /// An answer without a body.
    static func status(_ status: Int) -> ImitationAnswer {
        ImitationAnswer(status: status, body: .bytes([]))
    }

    static func jpeg(_ picture: ArtworkRecord.Picture, format: String = "larger") -> ImitationAnswer {
        ImitationAnswer(
            headers: ["Content-Type": "image/jpeg"],
            body: .picture(id: picture.id, format: format, aspectRatio: picture.aspectRatio))
    }

    /// The body's bytes. A picture is drawn now.
    package var bytes: [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .picture(let id, let format, let ratio): Picture.jpeg(id: id, format: format, aspectRatio: ratio)
        }
    }

    /// The body's bytes. For a picture, its id and format behind the first bytes of a JPEG.
    ///
    /// To draw a picture takes longer than a small sync, and in a process nobody looks at it.
    package var bytesWithoutDrawing: [UInt8] {
        switch body {
        case .bytes(let bytes): bytes
        case .picture(let id, let format, _):
            [0xFF, 0xD8, 0xFF, 0xE0] + Array(String(repeating: "\(id) \(format) ", count: 20).utf8)
        }
    }
}
