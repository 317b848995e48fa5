import Foundation
import Testing

@testable import DoorwardHTTP

@Suite struct OperatingPageTests {
    @Test("The operators' page lists every metric with its type, labels and meaning, and no others")
    func metrics() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/operating.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `doorward_") || $0.hasPrefix("| `process_") }.map(
            String.init)
        let expected = MetricFamily.all.map { family in
            let labels = family.labels.sorted().map { "`\($0)`" }.joined(separator: " ")
            return "| `\(family.name)` | \(family.kind.word) | \(labels.isEmpty ? "–" : labels) | \(family.help) |"
        }
        #expect(Set(rows) == Set(expected))
        #expect(rows.count == expected.count)
    }
}
