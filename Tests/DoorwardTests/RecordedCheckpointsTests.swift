import DoorwardAudit
import Testing

@testable import doorward

/// Which checkpoints of a log an export of the gateway's log has.
@Suite struct RecordedCheckpointsTests {
    private static let log = "doors.example/logs/a"

    private static func fields(_ origin: String, _ size: Int) -> String {
        let root = [UInt8](repeating: UInt8(size), count: 32)
        return
            "\"origin\":\"\(origin)\",\"root\":\"\(Checkpoint(origin: origin, size: 1, root: root).rootText)\",\"size\":\(size)"
    }

    private static func line(_ details: String) -> String {
        "{\"record\":{\"seq\":1,\"event\":\"CHECKPOINT\",\"details\":{\(details)}}}\n"
    }

    /// A record of one checkpoint, as older gateways wrote for each; a record of several; and records without one of the log.
    private static let export =
        line(fields(log, 3)) + line(fields("doors.example/logs/b", 4))
        + line("\"checkpoints\":[{\(fields("doors.example/logs/b", 5))},{\(fields(log, 6))},{\(fields(log, 7))}]")
        + line("\"checkpoints\":[]") + line("\"what\":\"accessLog\"")

    @Test("records of one checkpoint and of several are found, wherever the export is divided", arguments: [1, 7, 100, 100_000])
    func found(blockSize: Int) {
        var found = RecordedCheckpoints(origin: Self.log)
        var rest = Array(Self.export.utf8)[...]
        while !rest.isEmpty {
            found.add(Array(rest.prefix(blockSize)))
            rest = rest.dropFirst(blockSize)
        }
        #expect(found.checkpoints.map(\.size) == [3, 6, 7])
        #expect(found.checkpoints.map { $0.root.first } == [3, 6, 7])
        #expect(found.checkpoints.allSatisfy { $0.origin == Self.log })
    }
}
