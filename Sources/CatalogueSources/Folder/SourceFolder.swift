import Foundation

/// The descriptions by name: the built-in ones, and the files of a folder beside them.
///
/// A file replaces the built-in description of the same name, also if the file has an error. Each call reads the folder, so that
/// changes are seen.
package struct SourceFolder: Sendable {
    private let path: String?
    private let builtIn: [BuiltInSource]

    /// - Parameters:
    ///   - folder: `HOME/sources`, which needn't exist; `nil` for the built-in descriptions alone.
    ///   - builtIn: the descriptions of the program. Default: ``BuiltInSource/all``.
    package init(_ folder: URL?, builtIn: [BuiltInSource] = BuiltInSource.all) {
        path = folder?.path
        self.builtIn = builtIn
    }

    /// A name, and the description behind it.
    package struct Entry: Sendable {
        package let name: String
        /// The file's path; `nil` for a built-in description.
        package let path: String?
        /// The description, or what is wrong with the file.
        package let description: Result<SourceDescription, SourceDescriptionError>
    }

    /// The names of all descriptions, sorted. A name may belong to a file with errors.
    ///
    /// - Throws: ``SourceDescriptionError`` if the folder exists but can't be read.
    package func names() throws(SourceDescriptionError) -> [String] {
        Set(builtIn.map(\.name)).union(try files()).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// All descriptions, sorted by name. A file with an error doesn't hide the others.
    ///
    /// - Throws: ``SourceDescriptionError`` if the folder exists but can't be read.
    package func entries() throws(SourceDescriptionError) -> [Entry] {
        var entries: [Entry] = []
        let files = try files()
        for name in try names() {
            let description: Result<SourceDescription, SourceDescriptionError>
            do {
                description = .success(try self.description(named: name))
            } catch {
                description = .failure(error)
            }
            entries.append(
                Entry(name: name, path: files.contains(name) ? path(of: name) : nil, description: description)
            )
        }
        return entries
    }

    /// The description with a name.
    ///
    /// - Throws: ``SourceDescriptionError`` for an unknown name, with the nearest one, and for a description with an error.
    package func description(named name: String) throws(SourceDescriptionError) -> SourceDescription {
        let (text, file) = try source(named: name)
        return try SourceDescription(yaml: text, file: file, named: name)
    }

    /// The path of the file with the description of a name; `nil` for a built-in one.
    ///
    /// - Throws: ``SourceDescriptionError`` if the folder exists but can't be read.
    package func path(named name: String) throws(SourceDescriptionError) -> String? {
        try files().contains(name) ? path(of: name) : nil
    }

    /// The text of the description with a name, which may have errors.
    ///
    /// - Throws: ``SourceDescriptionError`` for an unknown name, with the nearest one, and for a file that can't be read.
    package func text(named name: String) throws(SourceDescriptionError) -> String {
        try source(named: name).text
    }

    /// The source that somebody may have meant by an unknown name; `nil` if no name is near.
    ///
    /// - Throws: ``SourceDescriptionError`` if the folder exists but can't be read.
    package func nearest(to name: String) throws(SourceDescriptionError) -> String? {
        NearestName(of: name, in: try names()).name
    }

    /// The description in a file, whose name needn't be the source's.
    ///
    /// - Throws: ``SourceDescriptionError`` for a file that can't be read, and for a description with an error.
    package static func description(at path: String) throws(SourceDescriptionError) -> SourceDescription {
        let text = try DescriptionReading.text(atPath: path, name: path, followsLinks: true)
        return try SourceDescription(yaml: text, file: path)
    }

    private func source(named name: String) throws(SourceDescriptionError) -> (text: String, file: String) {
        let files = try files()
        if files.contains(name), let path = path(of: name) {
            return (try DescriptionReading.text(atPath: path, name: path, followsLinks: false), path)
        }
        if let source = builtIn.first(where: { $0.name == name }) { return (source.text, "\(name).yaml") }
        let names = try names()
        let suggestion =
            NearestName(of: name, in: names).suggestion
            ?? "The sources are \(names.map(\.shortened).enumeration); the file sources/NAME.yaml adds one."
        throw SourceDescriptionError("There is no source of this name. \(suggestion)", file: name.shortened)
    }

    private func path(of name: String) -> String? { path.map { "\($0)/\(name).yaml" } }

    /// The names of the folder's files. Only names from this list become paths.
    private func files() throws(SourceDescriptionError) -> Set<String> {
        guard let path else { return [] }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch CocoaError.fileReadNoSuchFile {
            return []
        } catch {
            throw SourceDescriptionError(
                "The folder of sources can't be read. Check that it is a folder, and its permissions.",
                file: path)
        }
        // Hidden files are those of editors and systems.
        return Set(
            names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.map { String($0.dropLast(5)) })
    }
}
