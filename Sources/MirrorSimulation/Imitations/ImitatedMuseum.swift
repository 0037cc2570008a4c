import Catalogue
import MirrorHTTP
import Synchronization

/// A museum that answers requests: an imitation with its clock, which may be used from any thread.
///
/// In a process it is a transport: requests go to the museum's real hosts, and no network is used.
package final class ImitatedMuseum: Sendable {
    package enum Name: String, CaseIterable, Sendable {
        case met, artic, cleveland, smk
        /// Made up, for those who learn to write a description.
        case lighthouse

        var imitation: any Imitation.Type {
            switch self {
            case .met: MetImitation.self
            case .artic: ArticImitation.self
            case .cleveland: ClevelandImitation.self
            case .smk: SMKImitation.self
            case .lighthouse: LighthouseImitation.self
            }
        }

        /// The API's base on the museum's own host.
        package var base: String { imitation.base }
        /// The host of the museum's pictures.
        package var pictureHost: String { imitation.pictureHost }
        /// What can go wrong at this museum.
        package var faults: [ImitationFault] { imitation.faults }
        /// Whether the museum's list can be limited to a department.
        package var selectsDepartments: Bool { imitation.selection(ofDepartment: "") != nil }

        /// The value of `--select department=…` for a department; `nil` if there is no such selection.
        package func selection(ofDepartment name: String) -> String? {
            imitation.selection(ofDepartment: name)
        }
    }

    package let name: Name
    /// The seconds since 1970.
    private let now: @Sendable () -> Double
    private let imitation: Mutex<any Imitation>

    /// - Parameters:
    ///   - now: the server's clock, in seconds since 1970.
    ///   - seed: what the faults choose depends on it.
    package init(
        _ name: Name, _ catalogue: ImitatedCatalogue, faults: Set<ImitationFault> = [], seed: UInt64 = 1,
        now: @escaping @Sendable () -> Double
    ) {
        (self.name, self.now) = (name, now)
        let state = ImitationState(catalogue, faults: faults, seed: seed)
        imitation = Mutex(name.imitation.init(state))
    }

    /// The catalogue at present.
    package var catalogue: ImitatedCatalogue { imitation.withLock { $0.state.catalogue } }

    /// What is wrong at present.
    package var faults: Set<ImitationFault> {
        get { imitation.withLock { $0.state.faults } }
        set { imitation.withLock { $0.state.faults = newValue } }
    }

    /// The artwork's id in this museum.
    package func id(ofArtwork id: String) -> String { imitation.withLock { $0.id(ofArtwork: id) } }

    /// Makes changes in the catalogue, at the present time.
    package func apply(_ edits: [ImitatedCatalogue.Edit]) {
        let time = time
        imitation.withLock { $0.state.catalogue.apply(edits, at: time) }
    }

    /// Changes what is needed to hold the same objects as another catalogue, at the present time.
    package func become(_ catalogue: ImitatedCatalogue) {
        let time = time
        imitation.withLock { $0.state.catalogue.become(catalogue, at: time) }
    }

    private var time: Timestamp {
        let now = now(), seconds = now.rounded(.down)
        return Timestamp(seconds: Int(seconds), nanoseconds: Int((now - seconds) * 1e9))
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - target: path and query, as they stand in the request.
    ///   - headers: by names in lower case.
    ///   - origin: the address that stands for all hosts of the museum, such as `http://127.0.0.1:8000`. The answers'
    ///     addresses begin with it. `nil`, the default, where each host has its own.
    package func answer(
        method: String = "GET", host: String, target: String, headers: [String: String] = [:],
        body: [UInt8] = [], origin: String? = nil
    ) -> ImitationAnswer {
        guard let target = RequestTarget.parse(target) else { return .status(400) }
        let request = ImitationRequest(
            method: method, host: host, target: target, headers: headers, body: body, now: time,
            origin: origin)
        return imitation.withLock { $0.respond(request) }
    }
}

extension ImitatedMuseum: Transport {
    /// Sends a request to one of the museum's real hosts. Pictures aren't drawn, but each has different bytes.
    package func send(
        _ request: TransportRequest, into sink: any BodySink
    ) async throws -> TransportResponse {
        try Task.checkCancellation()
        guard request.url.hasPrefix("https://") else {
            throw TransportError(.cannotConnect, "The museum answers https only.")
        }
        let address = request.url.dropFirst("https://".count), host = address.prefix { $0 != "/" }
        guard
            [name.pictureHost, name.base.split(separator: "/").dropFirst().first.map(String.init)]
                .contains(String(host))
        else { throw TransportError(.cannotResolveHost, "No host of the museum has this name.") }
        let headers = Dictionary(
            request.headers.lines.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
        let answer = answer(
            method: request.method, host: String(host), target: String(address.dropFirst(host.count)),
            headers: headers, body: request.body ?? [])
        var head = TransportResponse(
            status: answer.status, headers: HeaderFields(answer.headers.map { ($0, $1) }))
        var bytes = request.method == "HEAD" ? [] : answer.bytesWithoutDrawing
        if answer.isCutOff { bytes.removeLast(bytes.count / 2) }
        try sink.begin(head)
        try bytes.withUnsafeBytes { if !$0.isEmpty { try sink.receive($0) } }
        if answer.isCutOff { throw TransportError(.connectionLost, "The museum dropped the connection.") }
        head.receivedBytes = bytes.count
        return head
    }
}
