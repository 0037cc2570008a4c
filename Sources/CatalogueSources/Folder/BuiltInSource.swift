/// A description that is part of the program.
package struct BuiltInSource: Sendable {
    package let name: String
    /// The description's YAML.
    package let text: String

    package init(name: String, text: String) { (self.name, self.text) = (name, text) }

    private init(_ name: String, _ bytes: [UInt8]) {
        self.init(name: name, text: String(decoding: bytes, as: UTF8.self))
    }

    /// All of them. The file of each is a resource of this target.
    package static let all: [BuiltInSource] = [
        BuiltInSource("artic", PackageResources.artic_yaml),
        BuiltInSource("cleveland", PackageResources.cleveland_yaml),
        BuiltInSource("met", PackageResources.met_yaml),
        BuiltInSource("smk", PackageResources.smk_yaml),
    ]
}
