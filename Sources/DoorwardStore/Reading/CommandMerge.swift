internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The commands of several devices, newest first, by their ids.
struct CommandMerge {
    private struct Key: Comparable {
        let at: Timestamp
        let id: CommandID

        static func < (a: Self, b: Self) -> Bool { (a.at, a.id) < (b.at, b.id) }
    }

    /// One device's commands that are still to come, as far as they were read.
    private struct Stream {
        let device: DeviceID
        var run: ArraySlice<Key>
        var isRead: Bool
    }

    /// Commands of all devices together that are read ahead, about.
    private static let readAhead = 4096

    private let runLength: Int
    /// Those with a command left, in the order of their newest: the last one's comes next.
    private var streams: [Stream] = []

    init(_ devices: Set<DeviceID>, in db: Database) throws {
        runLength = max(1, min(256, Self.readAhead / max(1, devices.count)))
        for device in devices {
            let run = try Self.run(of: device, before: nil, runLength, in: db)
            if !run.isEmpty { streams.append(Stream(device: device, run: run, isRead: run.count < runLength)) }
        }
        streams.sort { a, b in
            guard let first = a.run.first, let second = b.run.first else { return b.run.first != nil }
            return first < second
        }
    }

    /// The next older command; `nil` after the oldest.
    mutating func next(in db: Database) throws -> CommandID? {
        guard var stream = streams.popLast(), let key = stream.run.popFirst() else { return nil }
        if stream.run.isEmpty, !stream.isRead {
            stream.run = try Self.run(of: stream.device, before: key, runLength, in: db)
            stream.isRead = stream.run.count < runLength
        }
        if let newest = stream.run.first { streams.insert(stream, at: place(of: newest)) }
        return key.id
    }

    /// Where a stream with this newest command belongs, found by halving.
    private func place(of key: Key) -> Int {
        var range = 0..<streams.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let isOlder = streams[middle].run.first.map { $0 < key } ?? true
            range = isOlder ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private static func run(
        of device: DeviceID, before key: Key?, _ length: Int, in db: Database
    ) throws -> ArraySlice<Key> {
        let condition = key == nil ? "" : " AND (requested_at, id) < (?, ?)"
        let bound: StatementArguments = key.map { [$0.at.milliseconds, $0.id.blob] } ?? []
        return try db.rows(
            """
            SELECT requested_at, id FROM commands WHERE device_id = ?\(condition)
            ORDER BY requested_at DESC, id DESC LIMIT ?
            """, [device.blob] + bound + [length]
        ) { Key(at: try $0.instant(), id: try $0.id()) }[...]
    }
}
