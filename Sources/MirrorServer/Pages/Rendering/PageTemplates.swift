import Catalogue
import Crypto
import Mustache

/// The templates of all pages, the stylesheet and the script. They are files of this target, compiled into the binary.
struct PageTemplates: Sendable {
    let stylesheet: String
    let script: String
    /// Identifies the version of all files, so that clients request new ones after an update.
    let version: String
    private let library: MustacheLibrary

    /// The templates by name. Partials are templates, too.
    static let sources: [String: [UInt8]] = [
        "artwork": PackageResources.artwork_mustache,
        "artworks": PackageResources.artworks_mustache,
        "blocks": PackageResources.blocks_mustache,
        "caption": PackageResources.caption_mustache,
        "facts": PackageResources.facts_mustache,
        "filters": PackageResources.filters_mustache,
        "history": PackageResources.history_mustache,
        "layout": PackageResources.layout_mustache,
        "letters": PackageResources.letters_mustache,
        "login": PackageResources.login_mustache,
        "message": PackageResources.message_mustache,
        "mirrors": PackageResources.mirrors_mustache,
        "notice": PackageResources.notice_mustache,
        "object": PackageResources.object_mustache,
        "paging": PackageResources.paging_mustache,
        "search": PackageResources.search_mustache,
        "wall": PackageResources.wall_mustache,
    ]

    /// The templates in the binary. Whether they are valid doesn't depend on anything but the build, and is tested.
    static let embedded: PageTemplates = {
        do { return try PageTemplates() } catch {
            preconditionFailure("A page template is not valid: \(error)")
        }
    }()

    /// Reads the embedded templates.
    ///
    /// - Throws: an error of the library if a template isn't valid. The tests render all templates.
    init() throws {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for (name, bytes) in Self.sources {
            try library.register(String(decoding: bytes, as: UTF8.self), named: name)
        }
        self.library = library
        stylesheet = String(decoding: PackageResources.style_css, as: UTF8.self)
        script = String(decoding: PackageResources.script_js, as: UTF8.self)
        let all = Self.sources.sorted { $0.key < $1.key }.flatMap(\.value)
        version = SHA256.hash(data: all + Array(stylesheet.utf8) + Array(script.utf8)).prefix(8).hexadecimal
    }

    /// The HTML of a page; `nil` if there is no template with this name.
    func render(_ template: String, _ shown: Shown) -> String? {
        library.render(shown, withTemplate: template)
    }
}
