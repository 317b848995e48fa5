import DoorwardAPI
import Synchronization
import Testing

@testable import DoorwardClient

@Suite("Stretches of an access log") struct AccessRecordsTests {
    private static func record(_ id: String, _ at: String) -> String {
        #"{"id":"\#(id)","at":"2030-01-01T00:00:\#(at)Z","kind":"GATEWAY"}"#
    }

    private static func page(_ records: [String], next: String? = nil) -> StubGateway.Reply {
        .data(#"{"accessRecords":[\#(records.joined(separator: ","))],"nextCursor":\#(next.map { "\"\($0)\"" } ?? "null")}"#)
    }

    private func records(_ gateway: StubGateway) throws -> AccessRecords {
        try DoorwardClient(server: gateway.address, credentials: .none).accessRecords
    }

    @Test("the newest are gathered over pages up to a count, and the place after them is kept")
    func newest() async throws {
        let gateway = try await StubGateway { request, before in
            Self.page([Self.record("r\(2 * before)", "09.000"), Self.record("r\(2 * before + 1)", "08.000")], next: "n\(before)")
        }
        let stretch = try await records(gateway).newest(.init(deviceID: "d", decision: "DENIED"), atMost: 4)
        #expect(stretch.content.map(\.record.id) == ["r0", "r1", "r2", "r3"])
        #expect(String(decoding: stretch.json, as: UTF8.self).hasSuffix(#"],"nextCursor":"n1"}"#))
        #expect(
            gateway.requests.map(\.uri) == [
                "/api/v1/access-records?deviceId=d&decision=DENIED&limit=4",
                "/api/v1/access-records?deviceId=d&decision=DENIED&limit=2&cursor=n0",
            ])
    }

    @Test("what comes later comes once, also a record that appears late with an earlier time")
    func tail() async throws {
        let replies = Mutex([
            Self.page([Self.record("b", "08.500"), Self.record("a", "09.000"), Self.record("c", "10.000")]),
            Self.page([Self.record("a", "09.000"), Self.record("late", "09.500"), Self.record("c", "10.000")]),
        ])
        let gateway = try await StubGateway { _, _ in replies.withLock { $0.removeFirst() } }
        let first = AccessRecords.Entry(
            record: try decoded(#"{"id":"a","at":"2030-01-01T00:00:09.000Z","kind":"GATEWAY"}"#), json: [])
        let second = AccessRecords.Entry(
            record: try decoded(#"{"id":"b","at":"2030-01-01T00:00:08.500Z","kind":"GATEWAY"}"#), json: [])
        var tail = RecordTail(query: .init(deviceID: "d"), after: [first, second])
        #expect(try await tail.next(from: records(gateway)).map(\.record.id) == ["c"])
        #expect(try await tail.next(from: records(gateway)).map(\.record.id) == ["late"])
        #expect(
            gateway.requests.map(\.uri)
                == ["07", "08"].map {
                    "/api/v1/access-records?deviceId=d&from=2030-01-01T00%3A00%3A\($0).000Z&order=asc&limit=200"
                })
    }

    @Test("an error in the middle of the pages loses nothing")
    func interrupted() async throws {
        let replies = Mutex([
            Self.page([Self.record("a", "01.000")], next: "n"), .error(503, "unavailable"),
            Self.page([Self.record("a", "01.000")], next: "n"), Self.page([Self.record("b", "02.000")]),
        ])
        let gateway = try await StubGateway { _, _ in replies.withLock { $0.removeFirst() } }
        var tail = RecordTail(query: .init(), after: [])
        let records = try records(gateway)
        await #expect(throws: ClientError.self) { _ = try await tail.next(from: records) }
        #expect(try await tail.next(from: records).map(\.record.id) == ["a", "b"])
    }
}
