import Foundation

/// What the system hands to a program is bytes, and Swift reads it as text: where it isn't UTF-8, some of it is replaced in
/// silence, and the file that is then opened is another one.
struct InputBytes {
    /// Without the program's own name.
    let arguments: [[UInt8]]
    /// By the name of the variable.
    let environment: [String: [UInt8]]
    let folder: [UInt8]

    /// What is read of the environment by this program: as paths, or as what names one.
    static let variables = [
        "HOME", "XDG_DATA_HOME", "MIRROR_HOME", "MIRROR_ENABLE", "TMPDIR", "CURL_CA_BUNDLE", "SSL_CERT_FILE",
        "SSL_CERT_DIR",
    ]

    /// Those of this process.
    static func current() -> InputBytes {
        let arguments = (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0] }
        var environment: [String: [UInt8]] = [:]
        for name in variables { environment[name] = getenv(name).map(bytes) }
        var folder = [CChar](repeating: 0, count: Int(PATH_MAX))
        // A folder that was removed has no name, and none that is wrong.
        let isThere = getcwd(&folder, folder.count) != nil
        return InputBytes(
            arguments: arguments.map(bytes), environment: environment,
            folder: isThere ? folder.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)) : [])
    }

    /// One sentence that says what isn't UTF-8, and what to do; `nil` if all is.
    var fault: String? {
        if let argument = arguments.first(where: { !Self.isText($0) }) {
            return
                "The argument \(Self.visible(argument)) is not valid UTF-8, so the file or name that is meant can't be found. Give the file a name in UTF-8, or make a link to it that has one."
        }
        for name in Self.variables {
            guard let value = environment[name], !Self.isText(value) else { continue }
            return
                "The variable \(name) is not valid UTF-8 (\(Self.visible(value))), so the file that is meant can't be found. Set it to a path in UTF-8 for this command: \(name)=PATH mirror …"
        }
        guard Self.isText(folder) else {
            return
                "The name of the current folder, \(Self.visible(folder)), is not valid UTF-8. Run mirror in another folder."
        }
        return nil
    }

    private static func bytes(_ text: UnsafeMutablePointer<CChar>) -> [UInt8] {
        UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:))
    }

    private static func isText(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// Bytes that are no ASCII letter or sign are shown by their numbers.
    static func visible(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            (0x20..<0x7F).contains(byte)
                ? String(UnicodeScalar(byte))
                : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
