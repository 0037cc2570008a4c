import Foundation

/// Which of the tools that were asked for there are on this machine.
struct InstalledTools {
    private(set) var found: Set<String> = []
    /// A sentence for each that there is not.
    private(set) var missing: [String] = []

    init(_ names: [String], _ children: MeasuredProcesses, folder: String) throws {
        for name in names {
            if try Self.isThere(name, children, "\(folder)/tool") {
                found.insert(name)
            } else {
                missing.append("\(name) is not installed here, so it was not measured.")
            }
        }
        if names.contains("rclone"), found.contains("rclone"), !found.contains("nginx") {
            missing.append("rclone was not measured: it needs the lists of files that nginx would make.")
        }
    }

    private static func isThere(_ name: String, _ children: MeasuredProcesses, _ output: String) throws
        -> Bool
    {
        if name == "dlt" {
            guard isOnPath("python3") else { return false }
            return try children.run("python3", ["-c", "import dlt, sqlalchemy"], output: output).status == 0
        }
        return isOnPath(name)
    }

    private static func isOnPath(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }
}
