import DoorwardDomain
import Foundation
import Testing

/// The machine's own time zone.
@Suite struct HostTimeZoneTests {
    private static let zones = TimeZoneDatabase.system
    private static let (winter, summer): (Int64, Int64) = (1_800_000_000, 1_815_000_000)

    private func offsets(_ rules: TimeZoneRules?) -> [Int64]? {
        rules.map { rules in [Self.winter, Self.summer].map { rules.offset(at: $0) } }
    }

    @Test(
        "The variable is a name, a rule or a file, with or without a colon",
        arguments: [
            ("Europe/Berlin", [3600, 7200]), (":America/New_York", [-18_000, -14_400]), ("UTC", [0, 0]), ("", [0, 0]),
            (":", [0, 0]),
            ("AAA5BBB", [-18_000, -14_400]), ("AAA-1BBB0", [3600, 0]),
            ("CET-1CEST,M3.5.0,M10.5.0/3", [3600, 7200]), ("<+0530>-5:30", [19_800, 19_800]), ("Japan", [32_400, 32_400]),
            ("/usr/share/zoneinfo/Asia/Tokyo", [32_400, 32_400]), (":/usr/share/zoneinfo/Asia/Tokyo", [32_400, 32_400]),
        ] as [(String, [Int64])])
    func variable(_ text: String, _ expected: [Int64]) {
        #expect(offsets(Self.zones.hostRules(variable: text, localtime: "/no such file")) == expected)
    }

    @Test("A variable without a zone, and no file, are no zone", arguments: ["Mars/Olympus", "nowhere", "/no/such/file", nil])
    func unknown(_ text: String?) {
        #expect(Self.zones.hostRules(variable: text, localtime: "/no such file") == nil)
    }

    @Test("Without the variable the zone is that of the file, also of a link to one, with its name")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-zone-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/link", withDestinationPath: "/usr/share/zoneinfo/Asia/Tokyo")
        let linked = try #require(Self.zones.hostRules(variable: nil, localtime: "\(folder)/link"))
        #expect(linked.name == "Asia/Tokyo" && linked.offset(at: Self.winter) == 32_400)
        try FileManager.default.copyItem(
            atPath: URL(filePath: "/usr/share/zoneinfo/Asia/Tokyo").resolvingSymlinksInPath().path, toPath: "\(folder)/copy")
        #expect(Self.zones.hostRules(variable: nil, localtime: "\(folder)/copy")?.offset(at: Self.winter) == 32_400)
        try Data("no zone".utf8).write(to: URL(filePath: "\(folder)/damaged"))
        #expect(Self.zones.hostRules(variable: nil, localtime: "\(folder)/damaged") == nil)
    }
}
