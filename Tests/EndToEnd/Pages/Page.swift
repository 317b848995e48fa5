import Foundation
import Testing

/// A page of docs/, for tests that do what it says.
struct Page: Sendable {
    private let lines: [Substring]

    /// - Parameter name: the file's, without its ending.
    init(_ name: String) throws {
        lines = try String(contentsOf: Self.file(name), encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    }

    static func file(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/\(name).md")
    }

    /// The one line that begins so.
    func line(beginning text: String) throws -> String {
        String(try #require(lines.first { $0.hasPrefix(text) }, "no line begins with `\(text)`"))
    }

    /// The blocks of shell commands under a heading, in order.
    ///
    /// - Parameter heading: all of it, as in `## Backup`; the blocks reach to the next one. `nil` for those of the whole page.
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
