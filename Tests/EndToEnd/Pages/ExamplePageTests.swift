import Foundation
import Testing

extension EndToEnd {
    /// Runs the commands of other pages unchanged.
    @Suite("Pages with examples", .timeLimit(.minutes(30))) struct ExamplePageTests {
        @Test("the commands for a simulated lock print what the page says")
        func simulator() async throws {
            let (_, _, shell) = try await ownersShell()
            let blocks = try Page("simulator").shellBlocks(under: "## A lock and its events")
            let result = try await type(blocks.joined(separator: "\n"), in: shell.folder, shell.environment)
            #expect(result.code == 0, "\(result.errors)")
            let lines = result.output.split(separator: "\n")
            #expect(lines.first?.hasPrefix("Flat 1\t") == true)
            #expect(lines.dropFirst() == ["Flat 1\tunlocked", "Flat 1\tunlocked", "Flat 1\tjammed", "Flat 1\tunlocked"])
        }

        @Test("the completion scripts are installed in the folders that the page names")
        func completions() async throws {
            let folder = try TemporaryFolder()
            let result = try await type(
                Page("completions").shellBlocks().joined(separator: "\n"), in: folder, ["HOME": folder.path])
            #expect(result.code == 0, "\(result.errors)")
            for file in [
                ".local/share/bash-completion/completions/doorward", ".zfunc/_doorward", ".config/fish/completions/doorward.fish",
            ] {
                #expect(try String(contentsOfFile: folder.file(file), encoding: .utf8).contains("unlatch"))
            }
        }

        @Test("a profile is written, checked and tested as the page describes")
        func profiles() async throws {
            let page = try Page("profiles")
            let folder = try TemporaryFolder()
            let blocks = try String(contentsOf: Page.file("profiles"), encoding: .utf8).components(separatedBy: "```yaml\n")
            for (index, name) in ["acme", "gatehouse"].enumerated() {
                _ = try folder.write(blocks[index + 1].components(separatedBy: "```")[0], to: "\(name).yaml")
            }
            let commands = try ["cd '\(folder.file("."))'"] + page.shellBlocks()
            let result = try await type(commands.joined(separator: "\n"), in: folder, [:])
            #expect(result.code == 0, "\(result.errors)")
            let lines = result.output.split(separator: "\n")
            try #require(lines.count == 13)
            #expect(lines[0] == "acme.yaml: no mistakes")
            #expect(lines[1].hasPrefix(#"{"reports":[{"state":"locked","quality":"confirmed","battery":80}]"#))
            #expect(lines[2].contains(#""command":{"state":"rejected","reason":"jammed"}"#))
            #expect(lines[3].contains(#""quality":"retained""#) && lines[3].contains(#""command":null"#))
            #expect(lines[4] == #"{"topic":"acme/cellar/do","payload":"UNLOCK","qos":0,"retain":false}"#)
            #expect(lines[5] == "gatehouse.yaml: no mistakes")
            let said = [
                #"{"topic":"gatehouse/cellar","reports":[{"state":"locked","quality":"retained"}],"events":[],"command":null"#,
                #"{"topic":"gatehouse/cellar","reports":[{"state":"locked","quality":"confirmed"}],"events":[],"command":null"#,
                #"{"topic":"gatehouse/cellar/do","reports":[],"events":[],"command":null"#,
                #"{"topic":"gatehouse/cellar/done","reports":[],"events":[],"command":{"state":"accepted"}"#,
                #"{"topic":"gatehouse/cellar","reports":[{"state":"unlocked","quality":"confirmed"}],"events":[],"command":{"state":"confirmed"}"#,
                #"{"topic":"gatehouse/cellar","reports":[{"state":"locked","quality":"confirmed"}],"events":[{"type":"operation","operation":"lock","ok":true,"method":"keypad","userSlot":3}],"command":null"#,
                #"{"topic":"gatehouse/cellar","reports":[{"quality":"stale"}],"events":[{"type":"operation","operation":"unlock","ok":true,"method":"manual"}],"command":null,"diagnostics":[],"publish":[{"topic":"gatehouse/cellar/get""#,
            ]
            for (line, expected) in zip(lines.dropFirst(6), said) { #expect(line.hasPrefix(expected), "\(line)") }
        }

        private func type(_ commands: String, in folder: TemporaryFolder, _ environment: [String: String]) async throws -> (
            code: Int32, output: String, errors: String
        ) {
            let programs = URL(filePath: Program.doorward).deletingLastPathComponent().path
            let path = "\(programs):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
            return try await Program.run(
                "/usr/bin/env", ["bash", "-ec", commands], environment: environment.merging(["PATH": path]) { $1 }, in: folder)
        }
    }
}
