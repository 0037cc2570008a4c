import Catalogue
import Foundation
import MirrorStore

/// `HOME/options.json`: the features that `mirror options` switched on for every command, as `{"enabled":["tiles"]}`.
///
/// Fields and names that this version doesn't know stay in it: another version may.
struct OptionsFile {
    let path: String

    init(_ home: MirrorHome) { path = "\(home.path)/options.json" }

    /// The names that are switched on, in order, each once; none where there is no file.
    ///
    /// - Throws: ``CommandError`` with code `options` where the file can't be read or is not what it should be.
    func names() throws -> [String] {
        try stored().map(names) ?? []
    }

    /// Adds names and removes others. The file is replaced as a whole, or stays as it was. Idempotent: where nothing changes,
    /// nothing is written.
    ///
    /// - Throws: ``CommandError`` with code `options`, also where the file can't be written.
    func change(enabling: [String], disabling: [String]) throws {
        var object = try stored() ?? JSONObject()
        let before = try names(object)
        var after = before.filter { !disabling.contains($0) }
        for name in enabling where !after.contains(name) { after.append(name) }
        guard after != before else { return }
        object["enabled"] = .array(after.map(JSONValue.string))
        try write(object)
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
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw unreadable() }
            return nil
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? handle.readToEnd() ?? Data() else { throw unreadable() }
        guard case .object(let object)? = try? JSONValue(parsing: Array(data)) else { throw damaged() }
        return object
    }

    private func write(_ object: JSONObject) throws {
        let folder = (path as NSString).deletingLastPathComponent
        let temporary = "\(path).\(getpid()).part"
        guard
            (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true))
                != nil
        else { throw unwritable() }
        // What a process of the same number left when it was killed.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw unwritable() }
        let failure = Descriptor.send(object.canonicalBytes + [UInt8(ascii: "\n")], to: descriptor)
        let isSafe = failure == nil && fsync(descriptor) == 0
        close(descriptor)
        guard isSafe, rename(temporary, path) == 0 else {
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
            "\(path) is not a JSON object such as {\"enabled\":[\"tiles\"]}. Correct it, or remove it and run mirror options --enable NAME."
        )
    }

    private func unwritable() -> CommandError {
        CommandError(
            .options, "\(path) can't be written. Check its permissions, or choose another --home.")
    }
}
