import Foundation
import MirrorHTTP
import MirrorStore

/// Fetches the bytes of a picture or document into the content-addressed folder: an address once a run, for all objects
/// that name it (``SharedDownloads``).
struct FileDownload: Sendable {
    let environment: SyncEnvironment
    /// Absolute, or relative to the base, as the server's JSON has it.
    let url: String
    /// What is stored of it.
    let known: CatalogueStore.KnownFile?
    let use: FileUse
    /// In bytes, as the server's JSON has it.
    let size: Int?

    enum Result: Sendable {
        case file(StoredFile, etag: String?, lastModified: String?)
        case current
        /// The server doesn't have the file.
        case unavailable
    }

    /// What is stored of it, if the file is really there.
    var held: CatalogueStore.KnownFile? { known?.file.map(environment.files.has) == true ? known : nil }

    /// Fetches the bytes, unless this is a dry run, and stores what came of that.
    ///
    /// - Parameters:
    ///   - entry: the digest of the entry to which they belong.
    ///   - isRetry: whether this is the second try at the end of a run: an address that failed is requested again.
    /// - Returns: `nil` if nothing was requested.
    @discardableResult
    func store(for entry: String, isRetry: Bool) async throws -> Result? {
        environment.report.begins(use.kind, use.id)
        guard let result = try await environment.sender.file(self, isRetry: isRetry) else { return nil }
        var file: StoredFile?, etag = known?.etag, lastModified = known?.lastModified, isCurrent = false
        switch result {
        case .file(let stored, let newETag, let newDate):
            (file, etag, lastModified) = (stored, newETag, newDate)
        case .current: isCurrent = true
        case .unavailable: break
        }
        try await environment.applier.submit(
            .file(
                FileRecord(
                    use, entry: entry, file: file, etag: etag, lastModified: lastModified,
                    isCurrent: isCurrent)))
        return result
    }

    /// Where a damaged copy is kept, and the server has nothing better, that is noted with the result.
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
        } catch let error as StoreError {
            throw SyncError(error)
        }
    }

    /// - Parameter damaged: the digest of bytes that are known to be damaged.
    private func load(isRetry: Bool, rejecting damaged: String?) async throws -> Result {
        let outcome = try await environment.downloads.outcome(of: key, isRetry: isRetry, find: stored) {
            try await request(rejecting: damaged)
        }
        switch outcome {
        case .unavailable: return .unavailable
        case .file(let file, let etag, let lastModified, let isConfirmed):
            // Another object's request may have brought them.
            guard file.hash != damaged else { throw sameBytes }
            // What another object's request confirmed is new where it isn't here yet.
            return isConfirmed && file == held?.file
                ? .current : .file(file, etag: etag, lastModified: lastModified)
        }
    }

    private var sameBytes: LastingFailure {
        LastingFailure(
            cause: HTTPError(
                .wrongDigest,
                "The server sends \(url) with the same damaged bytes that are stored already. It is requested again by the next sync."
            ))
    }

    /// The file that an earlier request of this run brought.
    private func stored(startingWith digits: String) async throws -> StoredFile? {
        if let file = try environment.store.file(startingWith: digits) { return file }
        // Its row may wait to be written.
        try await environment.applier.flush()
        return try environment.store.file(startingWith: digits)
    }

    /// What the mirror has of it.
    enum State { case absent, stored, unavailable }

    var state: State {
        if known?.isUnavailable == true { return .unavailable }
        return (use.isPicture ? held?.etag != nil : held != nil) ? .stored : .absent
    }

    /// Names the download among those of the run, and for a later run that takes up what broke. The same address as a picture
    /// and as a document, or with another length, is checked differently.
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
            if !error.isWorthRetry { throw LastingFailure(cause: error) }
            throw error
        }
    }

    /// Whether the server said that there is no such file: 404, 410, 405 or 501, and 451, which a court decides. A 403 says that
    /// this login may not have it, which somebody can change: it is a failure.
    static func isUnavailable(_ error: HTTPError) -> Bool {
        error.isNotOffered || error.status == 410 || error.status == 451
    }

    private func operation(known: String? = nil) -> FileOperation {
        FileOperation(url, isPicture: use.isPicture, base: environment.session.base, known: known)
    }
}

/// Asks for a picture or a document, or with `HEAD` for what is known of one.
///
/// To fetch one it is handed to ``InterceptableSession/download(_:to:expecting:)``: the bytes go to a file.
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
    ///   - known: the ETag of the copy that is stored.
    init(_ url: String, isPicture: Bool, base: String, method: String = "GET", known: String? = nil) {
        endpoint = Self.target(url, base: base)
        self.method = method
        knownETag = known
        headers = ["Accept": isPicture ? "image/*" : "*/*"]
    }

    /// Where a file is, as the server's JSON has it.
    private static func target(_ url: String, base: String) -> Request.Target {
        if url.hasPrefix("//") { return .absolute("\(base.prefix { $0 != ":" }):\(url)") }
        if let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://"), !url[..<colon].contains("/") {
            return .absolute(url)
        }
        return .relative(url.hasPrefix("/") ? url : "/\(url)")
    }
}

extension CatalogueStore.KnownFile {
    /// Whether the bytes for an entry need not be requested: they are here, or the server said within the last day that it
    /// doesn't have them.
    func suffices(for entry: String, _ options: SyncOptions) -> Bool {
        guard self.entry == entry, !options.revalidateMedia else { return false }
        return isUnavailable ? isRecent && !options.full : file != nil
    }
}
