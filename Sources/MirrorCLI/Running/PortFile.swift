import Foundation

/// A file that says on which port a server listens: there whole, or not at all.
struct PortFile {
    let path: String

    func write(_ port: Int) throws {
        do {
            try Data("\(port)\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandError(
                .output, "\(path) can't be written. Check its permissions, or choose another --port-file.")
        }
    }
}
