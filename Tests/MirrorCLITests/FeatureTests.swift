import ArgumentParser
import Testing

@testable import MirrorCLI

@Suite struct FeatureTests {
    private let table = FeatureTable(
        available: [
            ("pull", "Fetches only what changed."), ("snapshot", "Makes a first sync one request."),
        ],
        retired: ["curl": "it is what is used now."])

    @Test func featuresAreOffByDefault() throws {
        #expect(try table.choice([], environment: [:]) == ([], []))
        #expect(try table.choice([], environment: ["MIRROR_ENABLE": ""]) == ([], []))
    }

    @Test func featuresAreEnabledByTheEnableOptionAndAnEnvironmentVariable() throws {
        #expect(try table.choice(["pull"], environment: [:]).enabled == ["pull"])
        #expect(try table.choice([], environment: ["MIRROR_ENABLE": "pull, snapshot,"]).enabled.count == 2)
        let both = try table.choice(["pull"], environment: ["MIRROR_ENABLE": "snapshot,pull"])
        #expect(both == (["pull", "snapshot"], []))
    }

    @Test func aRetiredFeatureGivesANoticeAndTheCommandContinues() throws {
        let choice = try table.choice(["curl", "pull"], environment: ["MIRROR_ENABLE": "curl"])
        #expect(choice.enabled == ["pull"])
        #expect(choice.notices == ["curl is no longer needed: it is what is used now."])
    }

    @Test func anUnknownFeatureIsAnErrorWithTheListOfFeatures() {
        func message(_ table: FeatureTable, _ name: String) -> String? {
            #expect(throws: ValidationError.self) { try table.choice([name], environment: [:]) }?.message
        }
        #expect(message(table, "pul") == "There is no feature called pul. The features are: pull, snapshot.")
        let empty = FeatureTable(available: [], retired: [:])
        #expect(message(empty, "x\u{1B}")?.hasPrefix("There is no feature called x�. This version") == true)
    }

    @Test(arguments: [["sync", "x"], ["options"], ["status"], ["list", "artwork"]])
    func everyCommandRefusesAnUnknownFeature(arguments: [String]) {
        #expect {
            _ = try MirrorCommand.parseAsRoot(arguments + ["--enable", "nonsense"])
        } throws: { error in
            MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
                && MirrorCommand.message(for: error).contains("no feature called nonsense")
        }
    }

    @Test(arguments: [
        ["sync", "x", "--enable", ""], ["status", "--enable", ","], ["tree", "--enable", "tiles,,tiles"],
        ["options", "--enable", " "], ["options", "--home", "/h", "--disable", ""],
        ["options", "--home", "/h", "--disable", "tiles,"],
    ])
    func everyCommandRefusesAnEmptyFeatureName(arguments: [String]) {
        #expect {
            _ = try MirrorCommand.parseAsRoot(arguments)
        } throws: { error in
            MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
                && MirrorCommand.message(for: error).contains("The name of a feature is missing")
        }
    }

    @Test func disablingAnUnknownFeatureShowsTheUsageOfOptions() {
        #expect {
            _ = try MirrorCommand.parseAsRoot(["options", "--home", "/h", "--disable", "nope"])
        } throws: { error in
            let text = MirrorCommand.fullMessage(for: error)
            return MirrorCommand.exitCode(for: error).rawValue == ExitStatus.usage.rawValue
                && text.contains("no feature called nope") && text.contains("mirror options")
                && !text.contains("<subcommand>")
        }
    }

    @Test func featuresThatTheVariableEnablesAreMarkedInTheList() {
        #expect(
            OptionsCommand.lines(table, enabled: ["pull", "snapshot"], byVariable: ["pull"]) == [
                "pull      on   Fetches only what changed. MIRROR_ENABLE switches it on.",
                "snapshot  on   Makes a first sync one request.",
            ])
    }

    @Test func theListOfFeaturesShowsWhichAreOn() {
        #expect(
            OptionsCommand.lines(table, enabled: ["pull"]) == [
                "pull      on   Fetches only what changed.",
                "snapshot  off  Makes a first sync one request.",
            ])
        #expect(OptionsCommand.objects(table, enabled: ["pull"]).map { $0["enabled"] } == [true, false])
        #expect(OptionsCommand.lines(.current, enabled: []).count >= 1)
    }

    @Test func namesOfFeaturesAreSingleWordsAndUnique() {
        let names = FeatureTable.current.available.map(\.name) + FeatureTable.current.retired.keys
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.allSatisfy { $0.isLetter || $0 == "-" } && !$0.isEmpty })
        #expect(FeatureTable.current.available.allSatisfy { $0.sentence.hasSuffix(".") })
    }

    @Test func wrongArgumentsPrintASummaryIfJSONWasRequested() {
        #expect(MirrorCommand.wantsJSON(["mirror", "sync", "--json"]))
        #expect(!MirrorCommand.wantsJSON(["mirror", "sync"]))
        #expect(!MirrorCommand.wantsJSON(["mirror", "search", "--", "--json"]))
        #expect(
            MirrorCommand.usageSummary("a\nb") == ["type": "summary", "outcome": "failed", "error": "a b"])
    }
}
