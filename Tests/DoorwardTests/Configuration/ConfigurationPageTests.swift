import DoorwardAdapterKit
import DoorwardHTTP
import FoundationEssentials
import Testing

@testable import doorward

@Suite("docs/configuration.md") struct ConfigurationPageTests {
    private static func page() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/configuration.md"), encoding: .utf8)
    }

    @Test("the table of the page is the one that the program prints")
    func table() throws {
        let rows = try Self.page().split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(
            rows.joined(separator: "\n") == ConfigurationTable(adapters: ShippedAdapters.all).page,
            "replace the table with the output of `doorward reference --configuration`")
    }

    @Test("each default in the table is the one that the program uses")
    func defaults() throws {
        for key in ConfigurationTable(adapters: ShippedAdapters.all).keys where !key.path.contains(".N.") {
            guard let row = key.row.split(separator: " | ").dropFirst(2).first, row.hasPrefix("`"), !row.contains("<") else {
                continue
            }
            let text = String(row.dropFirst().dropLast())
            let configuration = try ConfigurationSources(environment: [key.variable: text]).load()
            #expect(configuration == GatewayConfiguration(), "\(key.path)")
        }
    }

    @Test("the example of the page is valid")
    func example() throws {
        let folder = try TemporaryFolder()
        let text = try Self.page()
        let yaml = try #require(text.split(separator: "```yaml\n").last?.split(separator: "```").first)
        let file = try folder.write(String(yaml), to: "doorward.yaml")
        #expect(try ConfigurationSources(file: file).load().http.port == 8443)
    }
}
