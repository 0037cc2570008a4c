import Catalogue
import Foundation
import MirrorStore

/// `HOME/options.json`: the features that `mirror options` switched on for every command, as `{"enabled":["tiles"]}`.
///
/// Unknown fields and names are kept: another version may use them.
struct OptionsFile {
    let path: String

    init(_ home: MirrorHome) { path = home.optionsFile }

    /// The names that are switched on, in the file's order and without duplicates; empty if there is no file.
    ///
    /// - Throws: ``CommandError`` with code `options` if the file can't be read or has another format.
    func names() throws -> [String] {
        try stored().map(names) ?? []
    }

    /// Adds some names and removes others. Idempotent: nothing is written if nothing changes.
    ///
    /// The file is replaced atomically. If it is a symbolic link, the link's target is replaced.
    ///
    /// - Throws: ``CommandError`` with code `options`, also if the file can't be written.
    func change(enabling: [String], disabling: [String]) throws {
        guard try changed(enabling, disabling) != nil else { return }
        let folder = (path as NSString).deletingLastPathComponent
        guard
            (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true))
                != nil
        else { throw unwritable() }
        let place = try place()
        try locking((place as NSString).deletingLastPathComponent) {
            // Read again under the lock: another command may have changed the file.
            if let object = try changed(enabling, disabling) { try write(object, to: place) }
        }
    }

    /// The file's object after a change; `nil` if it stays the same.
    private func changed(_ enabling: [String], _ disabling: [String]) throws -> JSONObject? {
        var object = try stored() ?? JSONObject()
        let before = try names(object)
        var after = before.filter { !disabling.contains($0) }
        for name in enabling where !after.contains(name) { after.append(name) }
        guard after != before else { return nil }
        object["enabled"] = .array(after.map(JSONValue.string))
        return object
    }

    private func names(_ object: JSONObject) throws -> [String] {
        guard let value = object["enabled"] else { return [] }
        guard let elements = value.arrayValue else { throw damaged() }
        var names: [String] = []
        for element in elements {
            guard case .string(let name) = element else { throw damaged() }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    private func stored() throws -> JSONObject? {
        // `O_NONBLOCK`: the path may be a pipe, and opening one would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw unreadable() }
            return nil
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable() }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CommandError(
                .options,
                "\(path) is not a regular file, so the options can't be read. Move it away, and run the command again."
            )
        }
        guard let data = try? handle.readToEnd() ?? Data() else { throw unreadable() }
        guard case .object(let object)? = try? JSONValue(parsing: Array(data)) else { throw damaged() }
        return object
    }

    /// The path of the file itself: `options.json` may be a symbolic link.
    private func place() throws -> String {
        guard (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil else { return path }
        guard let resolved = realpath(path, nil) else {
            throw CommandError(
                .options,
                "\(path) is a link to a file that doesn't exist. Create that file, or remove the link.")
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Runs `body` while no other command changes the file. The folder is locked, because the file itself is replaced.
    private func locking(_ folder: String, _ body: () throws -> Void) throws {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unwritable() }
        // Also releases the lock.
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw unwritable() }
        try body()
    }

    private func write(_ object: JSONObject, to place: String) throws {
        // No mirror can have this name. If a process is killed here, the next write replaces the file that it left behind.
        let folder = (place as NSString).deletingLastPathComponent
        let temporary = "\(folder)/.\((place as NSString).lastPathComponent).part"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw unwritable() }
        let failure = Descriptor.send(object.canonicalBytes + [UInt8(ascii: "\n")], to: descriptor)
        let isSafe = failure == nil && fsync(descriptor) == 0
        close(descriptor)
        guard isSafe, rename(temporary, place) == 0 else {
            unlink(temporary)
            throw unwritable()
        }
    }

    private func unreadable() -> CommandError {
        CommandError(.options, "\(path) can't be read. Check its permissions.")
    }

    private func damaged() -> CommandError {
        CommandError(
            .options,
            "\(path) is not a JSON object such as {\"enabled\":[\"tiles\"]}, so the options can't be read. Correct the file, or remove it and run mirror options --enable NAME."
        )
    }

    private func unwritable() -> CommandError {
        CommandError(
            .options, "\(path) can't be written. Check its permissions, or choose another --home.")
    }
}
