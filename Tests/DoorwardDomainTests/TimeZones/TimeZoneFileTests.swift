import DoorwardTesting
import Foundation
import Testing

@testable import DoorwardDomain

@Suite struct TimeZoneFileTests {
    /// A TZif file with 64-bit data, or with 32-bit data only if there is no footer.
    static func file(
        _ transitions: [(Int64, UInt8)], offsets: [Int32], footer: String?, version: UInt8 = UInt8(ascii: "2"),
        leapSeconds: UInt32 = 0
    ) -> [UInt8] {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        func block(wide: Bool) -> [UInt8] {
            let counts = [0, 0, leapSeconds, UInt32(transitions.count), UInt32(offsets.count), 4]
            return Array("TZif".utf8) + [footer == nil && !wide ? 0 : version] + Array(repeating: 0, count: 15)
                + counts.flatMap(bytes)
                + transitions.flatMap { wide ? bytes($0.0) : bytes(Int32($0.0)) } + transitions.map(\.1)
                + offsets.flatMap { bytes($0) + [0, 0] } + Array("ABC\0".utf8)
                + Array(repeating: 0, count: Int(leapSeconds) * (wide ? 12 : 8))
        }
        guard let footer else { return block(wide: false) }
        return block(wide: false) + block(wide: true) + Array("\n\(footer)\n".utf8)
    }

    @Test("A file's table and its rule give the offsets, and transitions without a change of the offset are left out")
    func tableAndRule() throws {
        let transitions: [(Int64, UInt8)] = [(0, 1), (1000, 1), (2000, 0)]
        let bytes = Self.file(transitions, offsets: [3600, 7200], footer: "CET-1CEST,M3.5.0,M10.5.0/3")
        let rules = try #require(TimeZoneFile.rules(named: "A/B", from: bytes))
        #expect(rules.segment(at: -1) == .init(start: .min, end: 0, offset: 3600))
        #expect(rules.segment(at: 0) == .init(start: 0, end: 2000, offset: 7200))
        #expect(rules.segment(at: 1999) == .init(start: 0, end: 2000, offset: 7200))
        // 1970-03-29T01:00:00Z, the first transition by the rule.
        #expect(rules.segment(at: 2000) == .init(start: 2000, end: 7_520_400, offset: 3600))
        #expect(rules.offset(at: 7_520_400) == 7200)
    }

    @Test("A file of version 1, or one with an empty rule, keeps its last offset forever", arguments: [nil, ""])
    func withoutRule(footer: String?) throws {
        let rules = try #require(
            TimeZoneFile.rules(named: "A/B", from: Self.file([(0, 1)], offsets: [0, -1800], footer: footer)))
        #expect(rules.segment(at: -5) == .init(start: .min, end: 0, offset: 0))
        #expect(rules.segment(at: .max) == .init(start: 0, end: .max, offset: -1800))
    }

    @Test("Every shortened file, and every damage that contradicts the format, is rejected")
    func damaged() {
        let whole = Self.file([(0, 1), (1000, 0)], offsets: [0, 3600], footer: "UTC0")
        #expect(TimeZoneFile.rules(named: "A/B", from: whole) != nil)
        for count in 0..<whole.count {
            #expect(TimeZoneFile.rules(named: "A/B", from: Array(whole.prefix(count))) == nil, "\(count) bytes")
        }
        let damaged: [[UInt8]] = [
            Self.file([(0, 2)], offsets: [0, 3600], footer: "UTC0"),
            Self.file([(5, 0), (5, 1)], offsets: [0, 3600], footer: "UTC0"),
            Self.file([(9, 0), (5, 1)], offsets: [0, 3600], footer: "UTC0"), Self.file([], offsets: [], footer: "UTC0"),
            Self.file([], offsets: [0], footer: "Monday"), Self.file([], offsets: [100_000], footer: "UTC0"),
            Self.file([], offsets: [0], footer: "UTC0", leapSeconds: 1),
        ]
        for bytes in damaged { #expect(TimeZoneFile.rules(named: "A/B", from: bytes) == nil) }
    }

    @Test(
        "Rules of POSIX are parsed, with names in brackets, seconds, and hours beyond a day",
        arguments: [
            ("UTC0", 0, nil), ("<+0545>-5:45", 20_700, nil), ("<-03>3", -10_800, nil),
            ("EST5EDT,M3.2.0,M11.1.0", -18_000, -14_400),
            ("IST-1GMT0,M10.5.0,M3.5.0/1", 3600, 0), ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 37_800, 39_600),
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -7200, -3600), ("AAA-1:02:03BBB,J60/0,364/25:30", 3723, 7323),
        ] as [(String, Int64, Int64?)])
    func posix(text: String, standard: Int64, daylight: Int64?) throws {
        let rule = try #require(PosixTimeZone(text))
        #expect(rule.standard == standard)
        #expect(rule.daylight?.offset == daylight)
    }

    @Test("The offsets and segments are those of the rule from the end of the file's table on, before and after 2100")
    func tableFromRule() throws {
        for text in ["CET-1CEST,M3.5.0,M10.5.0/3", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "AAA-1BBB,J1/0,J365/23", "CET-1"] {
            let rule = try #require(PosixTimeZone(text))
            for end in [1_000_000_000, 5_000_000_000] as [Int64] {
                // The table ends with an offset of its own, which is not that of the rule.
                let rules = TimeZoneRules(name: "A/B", transitions: [0, end], offsets: [0, 5400, 1800], footer: rule)
                #expect(rules.segment(at: end - 1) == .init(start: 0, end: end, offset: 5400))
                var instant = end
                while instant < 8_000_000_000 {
                    let segment = rules.segment(at: instant)
                    #expect(segment == rule.segment(at: instant, notBefore: end), "\(text) at \(instant)")
                    #expect(segment.end == .max || rules.segment(at: segment.end).start == segment.end)
                    instant += 3_000_007
                }
            }
        }
    }

    @Test(
        "A table may end at any instant, also long before there were clocks",
        arguments: [-1 << 59, -1 << 40, -2_208_988_801, -2_208_988_800, 4_102_444_799, 4_102_444_800, 1 << 50] as [Int64])
    func ends(end: Int64) throws {
        let rule = try #require(PosixTimeZone("CET-1CEST,M3.5.0,M10.5.0/3"))
        let rules = TimeZoneRules(name: "A/B", transitions: [end], offsets: [3600, 7200], footer: rule)
        #expect(rules.segment(at: end - 1) == .init(start: .min, end: end, offset: 3600))
        for instant in [end, end + 10_000_000, max(end, 1_800_000_000), max(end, 6_000_000_000)] {
            #expect(rules.segment(at: instant) == rule.segment(at: instant, notBefore: end))
        }
    }

    @Test(
        "Other texts are not rules",
        arguments: [
            "", "UTC", "UT0", "<+01", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0",
            "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J366", "EST5EDT,366,0", "EST5EDT,M3.2.0,M11.1.0,", "EST5EDT4",
            "EST5:EDT,M3.2.0,M11.1.0",
            "EST5EDT,M3.2.0/,M11.1.0",
        ])
    func notPosix(text: String) {
        #expect(PosixTimeZone(text) == nil)
    }

    @Test("The day of a rule is counted with and without February 29")
    func julianDays() throws {
        // J60 is always March 1, 59 is March 1 only in a common year.
        let rule = try #require(PosixTimeZone("AAA0BBB,J60/0,J300/0")?.daylight)
        let other = try #require(PosixTimeZone("AAA0BBB,59/0,300/0")?.daylight)
        for (year, firstOfMarch) in [(2027, "2027-03-01"), (2028, "2028-03-01")] {
            #expect(CivilDate(daysSinceEpoch: rule.start.local(in: year) / 86_400).description == firstOfMarch)
        }
        #expect(CivilDate(daysSinceEpoch: other.start.local(in: 2027) / 86_400).description == "2027-03-01")
        #expect(CivilDate(daysSinceEpoch: other.start.local(in: 2028) / 86_400).description == "2028-02-29")
    }

    @Test("The rule's segments follow each other without a gap over many years")
    func segmentsOfRule() throws {
        for text in [
            "CET-1CEST,M3.5.0,M10.5.0/3", "AEST-10AEDT,M10.1.0,M4.1.0/3", "AAA-1BBB,J1/0,J365/23", "AAA3BBB,0/0,J365/25",
        ] {
            let rule = try #require(PosixTimeZone(text))
            var segment = rule.segment(at: 0, notBefore: -1)
            for _ in 0..<500 where segment.end < 30_000_000_000 {
                let next = rule.segment(at: segment.end, notBefore: -1)
                #expect(next.start == segment.end && rule.segment(at: segment.end - 1, notBefore: -1) == segment, "\(text)")
                segment = next
            }
        }
    }
}

@Suite struct TimeZoneDatabaseTests {
    @Test("Names that are not those of a zone are not looked up as files")
    func names() {
        let zones = TimeZoneDatabase.system
        let wrong = [
            "", "/", "Europe", "Europe/", "/Europe/Berlin", "europe/berlin", "Europe/../Europe/Berlin",
            "../zoneinfo/Europe/Berlin",
            "posix/Europe/Berlin", "right/Europe/Berlin", "localtime", "posixrules", "EST", "CET", "Factory", "zone.tab",
            "Europe//Berlin",
            "Europe/Berlin\0", "Europe/Berlin ", "Europe/Bérlin", "Etc/GMT+99", "America/" + String(repeating: "A", count: 80),
        ]
        for name in wrong { #expect(zones.rules(of: name) == nil, "\(name)") }
        for name in [
            "UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+1", "US/Pacific", "America/Port-au-Prince",
        ] {
            #expect(zones.rules(of: name)?.name == name)
        }
        #expect(zones.rules(of: "Europe/Berlin") === zones.rules(of: "Europe/Berlin"))
    }

    @Test("The list of names contains exactly the names that have rules")
    func list() {
        let names = TimeZoneDatabase.system.names
        #expect(names == names.sorted() && Set(names).count == names.count && names.count > 400)
        #expect(names.contains("UTC") && names.contains("Europe/Berlin") && !names.contains("EST"))
        #expect(names.allSatisfy { TimeZoneDatabase.system.rules(of: $0) != nil })
    }

    @Test("Without zone data there is UTC alone")
    func empty() {
        let zones = TimeZoneDatabase(folder: "/nonexistent")
        #expect(zones.names == ["UTC"])
        #expect(zones.rules(of: "UTC")?.segment(at: 0) == .init(start: .min, end: .max, offset: 0))
        #expect(zones.rules(of: "Europe/Berlin") == nil)
    }

    @Test(
        "Every change of every zone's offset from 2010 to 2040 is the one that the C library finds in the same files",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/zdump")))
    func asTheCLibrary() async throws {
        let names = TimeZoneDatabase.system.names
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/zdump")
        process.arguments = ["-v", "-c", "2010,2041"] + names
        let text = String(decoding: try await process.output().bytes, as: UTF8.self)
        var starts: [String: Set<Int64>] = [:]
        var lines = 0
        for line in text.split(separator: "\n") {
            // Europe/Berlin  Sun Mar 29 00:59:59 2020 UT = Sun Mar 29 01:59:59 2020 CET isdst=0 gmtoff=3600
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 6, words[6] == "UT" else { continue }
            let instant = try Self.instant(words[1...5])
            let offset = try #require(words.last.flatMap { Int64($0.replacing("gmtoff=", with: "")) })
            let zone = try #require(TimeZoneDatabase.system.rules(of: words[0]))
            #expect(zone.offset(at: instant) == offset, "\(line)")
            starts[words[0], default: []].insert(instant)
            lines += 1
        }
        var transitions = 0
        for name in names {
            let zone = try #require(TimeZoneDatabase.system.rules(of: name))
            var segment = zone.segment(at: 1_262_304_000)
            while segment.end < 2_240_524_800 {
                #expect(starts[name]?.contains(segment.end) == true, "\(name) \(segment.end)")
                segment = zone.segment(at: segment.end)
                transitions += 1
            }
        }
        print("compared with zdump: \(names.count) zones, \(transitions) transitions, \(lines) instants")
        #expect(transitions > 5000 && lines >= 2 * transitions)
    }

    private static func instant(_ words: ArraySlice<String>) throws -> Int64 {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let word = Array(words)
        let date = try #require(
            CivilDate(year: Int(word[4]) ?? 0, month: (months.firstIndex(of: word[1]) ?? -1) + 1, day: Int(word[2]) ?? 0))
        return try date.daysSinceEpoch * 86_400 + Int64(#require(LocalTime(word[3])).seconds)
    }
}
