import DoorwardTesting
import Testing

@testable import DoorwardStore

@Suite struct EntryKeyTests {
    @Test(
        "A position contains a log's key and a record's number in the log",
        arguments: [1, 2, 77, (1 << 23) - 1] as [Int64], [0, 1, 255, (1 << 40) - 1] as [UInt64])
    func roundTrip(key: Int64, seq: UInt64) {
        let position = EntryKey(logKey: key, seq: seq)
        #expect(position.logKey == key)
        #expect(position.seq == seq)
        #expect(EntryKey(rawValue: position.rawValue) == position)
        #expect(position.rawValue > 0)
    }

    @Test("Positions are ordered by log, then by number", arguments: 1...4 as ClosedRange<UInt64>)
    func order(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let places = (0..<200).map { _ in
            (key: Int64.random(in: 1...5, using: &random), seq: UInt64.random(in: 0..<1 << 40, using: &random))
        }
        let byPlace = places.sorted { ($0.key, $0.seq) < ($1.key, $1.seq) }.map { EntryKey(logKey: $0.key, seq: $0.seq) }
        #expect(places.map { EntryKey(logKey: $0.key, seq: $0.seq) }.sorted() == byPlace)
    }

    @Test("The last position of a log comes directly before the first of the next")
    func border() {
        #expect(EntryKey(logKey: 3, seq: (1 << 40) - 1).rawValue + 1 == EntryKey(logKey: 4, seq: 0).rawValue)
    }
}
