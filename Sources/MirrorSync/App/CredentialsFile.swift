import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// What `mirror login` stores: a token, or a name and password, for one host; in a file that only its owner can read.
package struct CredentialsFile {
    package let path: String

    package init(_ folder: MirrorFolder) { path = "\(folder.path)/credentials" }

    /// What is stored for the host of `base`; ``Credentials/none`` for another host, or without TLS where there was some.
    ///
    /// - Throws: ``SyncError`` with code `secret` if others than the owner could read the file.
    package func credentials(for base: String) throws -> Credentials {
        guard let object = try stored(), let host = object["host"]?.stringValue, host == Self.host(of: base)
        else { return .none }
        if let token = object["token"]?.stringValue { return .token(token) }
        if let name = object["name"]?.stringValue, let password = object["password"]?.stringValue {
            return .login(name: name, password: password)
        }
        throw damaged()
    }

    /// The server of a first sync into `folder` that names none: the one that was given to `mirror login`.
    ///
    /// - Returns: `nil` if nothing is stored, or there is a mirror, which knows its server by itself.
    /// - Throws: ``SyncError`` with code `secret` if others than the owner could read the file.
    package static func addressOfFirstSync(_ folder: MirrorFolder) throws -> String? {
        folder.exists ? nil : try Self(folder).stored()?["from"]?.stringValue
    }

    /// Replaces what is stored. The file is never incomplete, or readable by others.
    ///
    /// - Throws: ``SyncError`` with code `secret` if it can't be written.
    package func store(_ credentials: Credentials, for base: String) throws {
        var object: JSONObject = ["from": .string(base), "host": .string(Self.host(of: base) ?? base)]
        switch credentials {
        case .none: return
        case .token(let token): object["token"] = .string(token)
        case .login(let name, let password):
            object["name"] = .string(name)
            object["password"] = .string(password)
        }
        let temporary = "\(path).\(getpid()).part"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable() }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: object.canonicalBytes)
            try handle.synchronize()
            try handle.close()
        } catch {
            unlink(temporary)
            throw unwritable()
        }
        guard rename(temporary, path) == 0 else {
            unlink(temporary)
            throw unwritable()
        }
    }

    /// - Returns: whether there were any.
    /// - Throws: ``SyncError`` with code `secret` if they can't be removed.
    package func remove() throws -> Bool {
        if unlink(path) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw unwritable() }
        return false
    }

    /// What is in the file; `nil` if there is none.
    private func stored() throws -> JSONObject? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw SyncError(.secret, "\(path) can't be read. Check its permissions.")
            }
            return nil
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw SyncError(
                .secret, "\(path) can be read by others than you, so it isn't used. Run: chmod 600 '\(path)'")
        }
        guard let data = try handle.readToEnd(),
            case .object(let object)? = try? JSONValue(parsing: Array(data))
        else {
            throw damaged()
        }
        return object
    }

    private func damaged() -> SyncError {
        SyncError(.secret, "\(path) is damaged. Run mirror login again.")
    }

    private func unwritable() -> SyncError {
        SyncError(.secret, "\(path) can't be written. Check its permissions, or choose another --home.")
    }

    /// Scheme and host: another port of the same host is the same server to a person.
    package static func host(of base: String) -> String? {
        guard let url = URL(string: base), let scheme = url.scheme?.lowercased(), let host = url.host() else {
            return nil
        }
        return "\(scheme)://\(host.lowercased())"
    }
}
