import FoundationEssentials
import Testing

@testable import doorward

@Suite("The page docs/configuration.md") struct ConfigurationPageTests {
    private static func rows() throws -> [[Substring]] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/configuration.md"), encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("| `") }.map { $0.split(separator: " | ") }
    }

    @Test("lists every key with its variable, in the order of the table, and no other")
    func keys() throws {
        let listed = try Self.rows().map { "\($0[0].dropFirst(2)) \($0[1])" }
        #expect(listed == ConfigurationKey.all.map { "`\($0.path)` `\($0.variable)`" })
    }

    @Test("names each number's range", arguments: ConfigurationKey.all)
    func ranges(_ key: ConfigurationKey) throws {
        guard case .integer(let range) = key.form, range.lowerBound > 0 else { return }
        let row = try #require(try Self.rows().first { $0[0] == "| `\(key.path)`" })
        let text = row[3].replacing(",", with: "")
        #expect(text.hasPrefix("\(range.lowerBound)–\(range.upperBound);"))
    }

    @Test("its example is accepted")
    func example() throws {
        let folder = try TemporaryFolder()
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/configuration.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let yaml = try #require(text.split(separator: "```yaml\n").last?.split(separator: "```").first)
        let file = try folder.write(String(yaml), to: "doorward.yaml")
        #expect(try ConfigurationSources(file: file).load().http.port == 8443)
    }
}
