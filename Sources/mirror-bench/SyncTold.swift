import Foundation

/// What the last line of `mirror sync --json` says.
struct SyncTold: Decodable {
    let requests: Int
    let bytes: Int

    private struct Summary: Decodable {
        struct Requests: Decodable { let sent: Int }
        struct Bytes: Decodable { let received: Int }
        let requests: Requests
        let bytes: Bytes
    }

    /// - Parameter path: the file with all that it printed, of which only the end is read.
    init(_ path: String) throws {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        let end = try file.seekToEnd()
        try file.seek(toOffset: end > 65_536 ? end - 65_536 : 0)
        let last = (try file.readToEnd() ?? Data()).split(separator: UInt8(ascii: "\n")).last ?? Data()
        let summary = try JSONDecoder().decode(Summary.self, from: last)
        requests = summary.requests.sent
        bytes = summary.bytes.received
    }
}
