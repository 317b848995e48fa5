import Foundation
import Testing

/// A compliance report as a reader sees it: the figures and the cells of the tables.
struct ReportDocument {
    let html: String

    init(_ reply: Reply) throws {
        try #require(reply.status == 200, "\(reply.text)")
        html = reply.text
        #expect(html.hasPrefix("<!doctype html>") && html.hasSuffix("</html>\n"))
        #expect(!html.lowercased().contains("<script") && !html.contains("{{"))
    }

    /// The number with a name among the figures.
    func figure(_ name: String) throws -> Int {
        let found = try #require(html.firstMatch(of: try Regex("data-figure=\"\(name)\">([^<]*)<")), "\(name)")
        return try #require(Int(String(found[1].substring ?? "").replacing(",", with: "")))
    }

    /// The texts of the cells of a table, without the row of its head. A row with one cell says that there are none.
    func table(_ name: String) throws -> [[String]] {
        let start = try #require(html.range(of: "data-table=\"\(name)\""), "\(name)")
        let end = try #require(html.range(of: "</table>", range: start.upperBound..<html.endIndex))
        let rows = html[start.upperBound..<end.lowerBound].components(separatedBy: "<tr>").dropFirst(2)
        let cell = try Regex("<t[dh][^>]*>(.*?)</t[dh]>").dotMatchesNewlines()
        return rows.map { row in
            row.matches(of: cell).map { Self.text(String($0[1].substring ?? "")) }
        }.filter { $0.count > 1 }
    }

    /// The text of an element that has this attribute.
    func proof(_ name: String) throws -> String {
        let found = try #require(html.firstMatch(of: try Regex("data-proof=\"\(name)\">([^<]*)<")), "\(name)")
        return Self.text(String(found[1].substring ?? ""))
    }

    private static func text(_ html: String) -> String {
        var text = html.replacing("<br>", with: " ")
        while let start = text.range(of: "<"), let end = text.range(of: ">", range: start.upperBound..<text.endIndex) {
            text.removeSubrange(start.lowerBound..<end.upperBound)
        }
        for (entity, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&amp;", "&"),
        ] {
            text = text.replacing(entity, with: character)
        }
        return text
    }
}
