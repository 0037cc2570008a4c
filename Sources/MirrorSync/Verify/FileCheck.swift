import Catalogue
import Crypto
import Foundation
import MirrorStore

/// The state of a file on the disk.
enum FileState: Sendable, Hashable {
    case nothing
    /// Not a regular file, for example a folder or a link.
    case other
    /// A regular file; the digest is `nil` if the file was not read.
    case file(length: Int64, digest: String? = nil)
    case unreadable(String)

    var digest: String? { if case .file(_, let digest) = self { digest } else { nil } }
}

/// Compares a file on the disk with its row.
enum FileCheck {
    /// Returns a finding if the file differs from its row.
    ///
    /// - Parameter user: the picture or document that uses the file; evaluated only if there is a finding.
    static func finding(
        _ file: StoredFile, _ state: FileState, user: @autoclosure () throws -> (kind: String, id: String)?
    ) rethrows -> Finding? {
        let what: Finding.What, message: String
        switch state {
        case .nothing: (what, message) = (.missing, "The file is missing.")
        case .other:
            (what, message) = (.missing, "A folder, link or special file is in the place of the file.")
        case .unreadable(let cause): (what, message) = (.unreadable, "The file can't be read: \(cause).")
        case .file(let length, _) where length != file.size:
            (what, message) = (.length, "The file has \(length) bytes, but should have \(file.size).")
        case .file(_, let digest?) where digest != file.hash:
            (what, message) = (.digest, "The file's bytes differ from those that were fetched.")
        case .file: return nil
        }
        let user = try user()
        return Finding(what: what, kind: user?.kind, id: user?.id, path: file.path, message: message)
    }

    /// Reads the state of a file without following links.
    ///
    /// - Parameter reading: whether the file is read to its end, to compute its digest.
    static func state(at path: String, reading: Bool) -> FileState {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            return errno == ENOENT || errno == ENOTDIR
                ? .nothing : .unreadable(String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return .other }
        guard reading else { return .file(length: Int64(status.st_size)) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return .unreadable(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var hasher = SHA256()
        var length: Int64 = 0
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                return .unreadable(String(cString: strerror(errno)))
            }
            if count == 0 { return .file(length: length, digest: hasher.finalize().hexadecimal) }
            hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            length += Int64(count)
        }
    }
}

/// The share of files that a verification reads to compare their digests.
public struct ReadShare: Sendable, Hashable {
    /// From 0 to 1.
    public let share: Double

    /// Reads no files.
    public static let none = ReadShare(share: 0)
    /// Reads all files.
    public static let all = ReadShare(share: 1)

    private init(share: Double) { self.share = share }

    /// Parses a percentage, such as `5%` or `0.1%`, or `all`; returns `nil` for anything else.
    public init?(_ text: String) {
        if text == "all" {
            self = .all
        } else if text.hasSuffix("%"), let percent = Double(text.dropLast()), percent >= 0, percent <= 100 {
            self = ReadShare(share: percent / 100)
        } else {
            return nil
        }
    }

    /// Whether a file is in the sample. Each seed selects another sample.
    ///
    /// - Parameter hash: the file's digest in hex; its digits are evenly distributed.
    func contains(_ hash: String, seed: UInt64) -> Bool {
        guard share < 1 else { return true }
        // The factor (2^64 divided by the golden ratio) spreads out seeds that differ in one bit only.
        let number = (UInt64(hash.prefix(16), radix: 16) ?? 0) &+ seed &* 0x9E37_79B9_7F4A_7C15
        return Double(number) < share * 0x1p64
    }
}
