import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// The file in which `mirror login` stores a token, or a name and password, for one host. Only its owner can read it.
package struct CredentialsFile {
    /// The file's path.
    package let path: String

    /// The credentials of a mirror.
    package init(_ folder: MirrorFolder) { path = "\(folder.path)/credentials" }

    /// The credentials for the host of `base`; ``Credentials/none`` for another host or scheme, and if there is no file.
    ///
    /// - Throws: ``SyncError`` with code `secret` if the file is damaged, or readable by other users.
    package func credentials(for base: String) throws -> Credentials {
        guard let object = try stored(), let host = object["host"]?.stringValue, host == Self.host(of: base)
        else { return .none }
        if let token = object["token"]?.stringValue { return .token(token) }
        if let name = object["name"]?.stringValue, let password = object["password"]?.stringValue {
            return .login(name: name, password: password)
        }
        throw damaged()
    }

    /// The server of a first sync that names no server: the address that was passed to `mirror login`.
    ///
    /// - Returns: `nil` if no credentials are stored, or if the mirror exists and remembers its server itself.
    /// - Throws: ``SyncError`` with code `secret` if the file is damaged, or readable by other users.
    package static func addressOfFirstSync(_ folder: MirrorFolder) throws -> String? {
        folder.exists ? nil : try Self(folder).stored()?["from"]?.stringValue
    }

    /// Replaces the stored credentials. The file is never incomplete, or readable by other users.
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

    /// Removes the stored credentials.
    ///
    /// - Returns: whether any were stored.
    /// - Throws: ``SyncError`` with code `secret` if they can't be removed.
    package func remove() throws -> Bool {
        if unlink(path) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw unwritable() }
        return false
    }

    /// The file's content; `nil` if there is no file.
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
                .secret, "\(path) is readable by other users, so it isn't used. Run: chmod 600 '\(path)'")
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

    /// The scheme and host of an address, in lower case. The port is left out: credentials are for a host.
    package static func host(of base: String) -> String? {
        guard let url = URL(string: base), let scheme = url.scheme?.lowercased(), let host = url.host() else {
            return nil
        }
        return "\(scheme)://\(host.lowercased())"
    }
}
