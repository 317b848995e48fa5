import Foundation
import Testing

/// A page of docs/, for tests that run its commands.
struct Page: Sendable {
    private let lines: [Substring]

    /// - Parameter name: the file's name without its extension.
    init(_ name: String) throws {
        lines = try String(contentsOf: Self.file(name), encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    }

    static func file(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/\(name).md")
    }

    /// Returns the first line that begins with `text`.
    func line(beginning text: String) throws -> String {
        String(try #require(lines.first { $0.hasPrefix(text) }, "no line begins with `\(text)`"))
    }

    /// Returns the blocks of shell commands under a heading, in order.
    ///
    /// - Parameter heading: the whole heading, for example `## Backup`. Its section ends at the next `##` heading. `nil` for the
    ///   whole page.
    func shellBlocks(under heading: String? = nil) throws -> [String] {
        var section = lines[...]
        if let heading {
            let start = try #require(lines.firstIndex { $0 == heading }, "there is no heading `\(heading)`")
            section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        }
        let blocks = section.split(separator: "```sh").dropFirst().compactMap { $0.split(separator: "```").first }
        return try #require(blocks.isEmpty ? nil : blocks.map { $0.joined(separator: "\n") }, "there are no commands")
    }
}
