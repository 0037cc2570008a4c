import Foundation
import MirrorHTTP
import MirrorStore

/// Downloads a file of a picture or document into the content-addressed folder.
///
/// A run downloads each URL once, for all objects that contain it (``SharedDownloads``).
struct FileDownload: Sendable {
    let environment: SyncEnvironment
    /// Absolute, or relative to the base, as the server's JSON has it.
    let url: String
    /// The stored file's row, if there is one.
    let known: CatalogueStore.KnownFile?
    let use: FileUse
    /// In bytes, as the server's JSON states it; `nil` if it doesn't.
    let size: Int?

    enum Result: Sendable {
        case file(StoredFile, etag: String?, lastModified: String?)
        case current
        /// The server doesn't have the file.
        case unavailable
    }

    /// The stored file's row, if the file exists on disk.
    var held: CatalogueStore.KnownFile? { known?.file.map(environment.files.has) == true ? known : nil }

    /// Downloads the file, unless this is a dry run, and stores the result.
    ///
    /// - Parameters:
    ///   - entry: the digest of the JSON entry to which the file belongs.
    ///   - isRetry: whether this is the second try at the end of a run, in which a URL that failed is requested again.
    /// - Returns: `nil` if nothing was requested.
    @discardableResult
    func store(for entry: String, isRetry: Bool) async throws -> Result? {
        environment.report.noteStarted(use.kind, use.id)
        guard let result = try await environment.sender.file(self, isRetry: isRetry) else { return nil }
        var file: StoredFile?, etag = known?.etag, lastModified = known?.lastModified, isCurrent = false
        var pixels: PixelSize?
        switch result {
        case .file(let stored, let newETag, let newDate):
            (file, etag, lastModified) = (stored, newETag, newDate)
            // Here rather than in the transaction, which would wait for the disk.
            pixels = PixelSize.read(from: stored, in: environment.files) ?? PixelSize.none
        case .current: isCurrent = true
        case .unavailable: break
        }
        try await environment.applier.submit(
            .file(
                FileRecord(
                    use, entry: entry, file: file, etag: etag, lastModified: lastModified,
                    isCurrent: isCurrent, pixels: pixels)))
        return result
    }

    /// Downloads the file. If a damaged copy is kept, and the server can't replace it, that is recorded.
    func fetch(isRetry: Bool) async throws -> Result {
        let damaged = try environment.store.damagedCopy(of: use)
        do {
            let result = try await load(isRetry: isRetry, rejecting: damaged?.digest)
            if damaged != nil, case .unavailable = result {
                try await environment.applier.submit(.fileRefused(use))
            }
            return result
        } catch let error as LastingFailure {
            if damaged != nil { try await environment.applier.submit(.fileRefused(use)) }
            throw error
        } catch let error as HTTPError where environment.endsSending(error) {
            // All further files of the host would fail, too.
            throw await environment.paused(by: error)
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    /// - Parameter damaged: the digest of the damaged copy, if there is one; a file with these bytes is refused.
    private func load(isRetry: Bool, rejecting damaged: String?) async throws -> Result {
        let outcome = try await environment.downloads.outcome(of: key, isRetry: isRetry, find: stored) {
            try await request(rejecting: damaged)
        }
        switch outcome {
        case .unavailable: return .unavailable
        case .file(let file, let etag, let lastModified, let isConfirmed):
            // The outcome may be of another object's request, which didn't compare with this damaged copy.
            guard file.hash != damaged else { throw sameBytes }
            // A file that another object's request confirmed is new for this object, unless it is this object's own.
            return isConfirmed && file == held?.file
                ? .current : .file(file, etag: etag, lastModified: lastModified)
        }
    }

    private var sameBytes: LastingFailure {
        LastingFailure(
            cause: HTTPError(
                .wrongDigest,
                "The server sends \(url) with the same damaged bytes that are stored already. The next sync requests it again."
            ))
    }

    /// The file that an earlier request of this run stored, found by the first digits of its digest.
    private func stored(startingWith digits: String) async throws -> StoredFile? {
        if let file = try environment.store.file(startingWith: digits) { return file }
        // Its row may not be written yet.
        try await environment.applier.flush()
        return try environment.store.file(startingWith: digits)
    }

    /// The file's state in the mirror.
    enum State { case absent, stored, unavailable }

    var state: State {
        if known?.isUnavailable == true { return .unavailable }
        return (use.isPicture ? held?.etag != nil : held != nil) ? .stored : .absent
    }

    /// Identifies the download in this run, and in a later run that resumes it.
    ///
    /// The use and the expected length are parts of it, because a download is checked against them.
    var key: String {
        let what = use.isPicture ? "image" : "document \(size.map(String.init) ?? "")"
        return switch operation().endpoint {
        case .relative(let path): "\(what) \(environment.session.base)\(path)"
        case .beside(let address), .absolute(let address): "\(what) \(address)"
        }
    }

    private func request(rejecting damaged: String?) async throws -> SharedDownloads.Outcome {
        let path = try environment.files.partialPath(for: key)
        do {
            let outcome = try await environment.session.download(
                operation(known: held?.etag), to: path,
                expecting: MediaExpectation(length: size, isPicture: use.isPicture))
            switch outcome {
            case .notModified:
                guard let held, let file = held.file else {
                    throw HTTPError(
                        .badResponse,
                        "The server answered that a file is unchanged which this mirror doesn't have.")
                }
                return .file(file, etag: held.etag, lastModified: held.lastModified, isConfirmed: true)
            case .file(let file):
                let digest = file.digest.hexadecimal
                guard digest != damaged else {
                    unlink(file.path)
                    throw sameBytes
                }
                let stored = try environment.files.adopt(
                    file.path, hash: digest, size: Int64(file.bytes), type: file.type.contentType)
                return .file(stored, etag: file.etag, lastModified: file.lastModified, isConfirmed: false)
            }
        } catch let error as HTTPError {
            if Self.isUnavailable(error) { return .unavailable }
            if error.code == .file { throw SyncError(.storage, error.message, cause: error) }
            if error.code == .notAuthorised, case .relative = operation().endpoint { throw SyncError(error) }
            if environment.endsSending(error) { throw error }
            if !error.isWorthRetry { throw LastingFailure(cause: error) }
            throw error
        }
    }

    /// Whether the server answered that it doesn't have the file: 404, 405, 410 or 501, or 451 (unavailable for legal reasons).
    ///
    /// A 403 is a failure instead: somebody can give this login the right to read the file.
    static func isUnavailable(_ error: HTTPError) -> Bool {
        error.isNotSupported || error.status == 410 || error.status == 451
    }

    private func operation(known: String? = nil) -> FileOperation {
        FileOperation(url, isPicture: use.isPicture, base: environment.session.base, known: known)
    }
}

/// The request for a file of a picture or document, or, with `HEAD`, for its headers.
///
/// To download the file, pass it to ``InterceptableSession/download(_:to:expecting:)``.
struct FileOperation: DataOperation {
    let endpoint: Request.Target
    let method: String
    let headers: HeaderFields
    let knownETag: String?

    var cache: Request.CacheUse { .bypass }
    var kind: Request.Kind { .media }
    /// Pictures are often on another host.
    var mayLeaveOrigin: Bool { true }

    /// - Parameters:
    ///   - url: absolute, or relative to the base, as the server's JSON has it.
    ///   - base: the session's.
    ///   - known: the ETag of the stored copy.
    init(_ url: String, isPicture: Bool, base: String, method: String = "GET", known: String? = nil) {
        endpoint = Self.target(url, base: base)
        self.method = method
        knownETag = known
        headers = ["Accept": isPicture ? "image/*" : "*/*"]
    }

    /// The target of a URL as the server's JSON has it: absolute, without a scheme, or relative to the base.
    private static func target(_ url: String, base: String) -> Request.Target {
        if url.hasPrefix("//") { return .absolute("\(base.prefix { $0 != ":" }):\(url)") }
        if let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://"), !url[..<colon].contains("/") {
            return .absolute(url)
        }
        return .relative(url.hasPrefix("/") ? url : "/\(url)")
    }
}

extension CatalogueStore.KnownFile {
    /// Whether the file for an entry need not be requested: it is stored, or the server answered within the last day that it
    /// doesn't have it.
    func suffices(for entry: String, _ options: SyncOptions) -> Bool {
        guard self.entry == entry, !options.revalidateMedia else { return false }
        return isUnavailable ? isRecent && !options.full : file != nil
    }
}
