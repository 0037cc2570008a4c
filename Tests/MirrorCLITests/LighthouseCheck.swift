import CatalogueSources
import MirrorDemo
import MirrorHTTP
import MirrorSimulation
import MirrorSync
import MirrorTesting

@testable import MirrorCLI

/// Checks of descriptions on the imitated lighthouse museum with the demo's catalogue, as in the article "Write a source".
enum LighthouseCheck {
    static func report(_ yaml: String, id: String? = nil) async throws -> SourceCheck.Report {
        let file = "lighthouse.yaml"
        let description = try SourceDescription(yaml: yaml, file: file)
        let museum = ImitatedMuseum(
            .lighthouse, try ImitatedCatalogue(.embedded(DemoCatalogue.files)), now: { 1_769_904_000 })
        let session = try InterceptableSession(
            base: description.base, transport: museum, interceptors: .standard(),
            configuration: SessionConfiguration(clock: VirtualClock(.jumping).sessionClock)
        ).obeying(description.hostRules(environment: [:]))
        return try await SourceCheck(SourceReader(description, file: file), session: session, id: id).run()
    }

    /// The text with each run of spaces and line breaks as one space.
    static func collapsed(_ text: some StringProtocol) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
