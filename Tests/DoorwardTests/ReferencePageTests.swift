import ArgumentParser
import Foundation
import Testing

@testable import doorward

@Suite struct ReferencePageTests {
    private static var docs: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "docs")
    }

    @Test("docs/command-line.md is what `doorward reference --index` prints")
    func current() throws {
        let page = try String(contentsOf: Self.docs.appending(path: "command-line.md"), encoding: .utf8)
        let difference = zip(page.split(separator: "\n"), ReferencePage.index.split(separator: "\n")).first { $0 != $1 }
        #expect(
            page == ReferencePage.index,
            "run `doorward reference --index > docs/command-line.md`; first difference: \(String(describing: difference))")
    }

    @Test("every visible command has a section, a table row and an abstract that ends as a sentence")
    func complete() {
        var commands: [any ParsableCommand.Type] = [DoorwardCommand.self]
        var seen = 0
        while let command = commands.popLast() {
            seen += 1
            #expect(command.configuration.abstract.hasSuffix("."), "\(command)")
            commands += command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
        }
        let text = ReferencePage.text
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("## ") }.count == seen)
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("| [`") }.count == seen)
        for name in ["doorward serve", "doorward admin create", "doorward store check"] {
            #expect(text.contains("\n## \(name)\n"))
            #expect(text.contains("(#\(name.replacing(" ", with: "-")))"))
        }
        #expect(!text.contains("## doorward reference"), "help omits the commands for developers of Doorward")
    }

    @Test("no line exceeds the page width or ends with spaces")
    func width() {
        let help = ReferencePage.text.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        for line in help.joined().split(separator: "\n") {
            #expect(!line.hasSuffix(" "), "\(line)")
            #expect(line.hasPrefix("USAGE") || line.count <= ReferencePage.columns, "\(line)")
        }
    }
}
