import Foundation
import MirrorHTTP
import MirrorStore

/// Fetches the bytes of a picture or document into the content-addressed folder.
struct FileDownload: Sendable {
    let environment: SyncEnvironment
    /// Absolute, or relative to the base, as the server's JSON has it.
    let url: String
    /// Names the download, so that a later run can take up what broke.
    let key: String
    let known: String?
    let use: FileUse
    let isPicture: Bool
    let size: Int?

    enum Result: Sendable {
        case file(StoredFile, etag: String?, lastModified: String?)
        case current
        /// The server has no such file.
        case notOffered
    }

    /// Where a damaged copy is kept, and the server has nothing better, that is noted with the result.
    func fetch() async throws -> Result {
        let damaged = try environment.store.damagedCopy(of: use)
        do {
            let result = try await load(rejecting: damaged?.digest)
            if damaged != nil, case .notOffered = result {
                try await environment.applier.submit(.fileRefused(use))
            }
            return result
        } catch let error as LastingFailure {
            if damaged != nil { try await environment.applier.submit(.fileRefused(use)) }
            throw error
        }
    }

    /// - Parameter damaged: the digest of bytes that are known to be damaged.
    private func load(rejecting damaged: String?) async throws -> Result {
        let request = Request(target, headers: ["Accept": isPicture ? "image/*" : "*/*"])
        let path = try environment.files.partialPath(for: key)
        do {
            let outcome = try await environment.session.download(
                request, to: path, known: known,
                expecting: MediaExpectation(length: size, isPicture: isPicture))
            switch outcome {
            case .notModified:
                return .current
            case .file(let file):
                let digest = file.digest.hexadecimal
                guard digest != damaged else {
                    unlink(file.path)
                    throw LastingFailure(
                        cause: HTTPError(
                            .wrongDigest,
                            "The server sends \(url) with the same damaged bytes that are here already. It is asked for again next time."
                        ))
                }
                let stored = try environment.files.adopt(
                    file.path, hash: digest, size: Int64(file.bytes), type: file.type.contentType)
                return .file(stored, etag: file.etag, lastModified: file.lastModified)
            }
        } catch let error as HTTPError {
            if error.isNotOffered || error.status == 410 { return .notOffered }
            if error.code == .file { throw SyncError(.storage, error.message, cause: error) }
            if error.code == .notAuthorised, isOwn { throw SyncError(error) }
            if !error.isWorthRetry { throw LastingFailure(cause: error) }
            throw error
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    private var isOwn: Bool { if case .relative = target { true } else { false } }

    private var target: Request.Target { Self.target(url, base: environment.session.base) }

    /// Where a file is, as the server's JSON has it.
    static func target(_ url: String, base: String) -> Request.Target {
        if url.hasPrefix("//") { return .absolute("\(base.prefix { $0 != ":" }):\(url)") }
        if let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://"), !url[..<colon].contains("/") {
            return .absolute(url)
        }
        return .relative(url.hasPrefix("/") ? url : "/\(url)")
    }
}
