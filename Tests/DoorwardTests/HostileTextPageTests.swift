import Foundation
import Testing

/// Decision 0028 lists every place where untrusted text is compared, and the tests of each place.
@Suite struct HostileTextPageTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The source text of all tests.
    private func tests() throws -> [String] {
        try ["Tests", "adapters/mqtt/Tests"].flatMap { folder in
            let folder = Self.root.appending(path: folder)
            return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
                .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
        }
    }

    @Test("each row of the page names tests, and all these tests exist")
    func rows() throws {
        let page = Self.root.appending(path: "docs/decisions/0028-text-from-outside-is-stream-safe.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 15)
        let tests = try tests()
        for row in rows {
            let names = row.split(separator: "|").last?.matches(of: /`([^`]*)`/).map(\.1) ?? []
            #expect(!names.isEmpty, "\(row)")
            for name in names {
                let parts = name.split(separator: ".")
                let isThere =
                    parts.count == 2
                    && tests.contains { $0.contains("struct \(parts[0]) {") && $0.contains("func \(parts[1])(") }
                #expect(isThere, "there is no test \(name)")
            }
        }
    }
}
