import Foundation

/// Somebody who may log in with a cookie session.
public struct ServedUser: Sendable {
    public let name: String
    let password: String

    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }

    /// Reads a file of users: a line `name:password` each; empty lines, and those that begin with `#`, are left out.
    ///
    /// - Throws: ``ServerError/Code/invalidAccess`` if the file can't be read, has no user, or a line is neither. No
    ///   content of the file is in the error.
    public static func read(file path: String) throws -> [ServedUser] {
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(validating: data, as: UTF8.self)
        else {
            throw ServerError(
                .invalidAccess, "\(path) can't be read. Give a file with a line name:password for each user.")
        }
        return try parse(text, path: path)
    }

    static func parse(_ text: String, path: String) throws -> [ServedUser] {
        var users: [ServedUser] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw ServerError(
                    .invalidAccess, "Line \(index + 1) of \(path) is not name:password. Correct it.")
            }
            users.append(ServedUser(name: String(parts[0]), password: String(parts[1])))
        }
        guard !users.isEmpty else {
            throw ServerError(.invalidAccess, "\(path) names no user. Give it a line name:password for each.")
        }
        return users
    }
}
