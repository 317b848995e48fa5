import DoorwardAPI
import FoundationEssentials
import Synchronization
import Testing

@testable import DoorwardClient

@Suite("Following new records of an access log") struct RecordFollowerTests {
    /// Growing access logs, listed as the gateway lists them: sorted by time, log and number. A cursor contains a position in
    /// that order.
    private final class SimulatedLogs: Sendable {
        struct Record: Sendable, Comparable {
            let at: Int
            let log: String
            let seq: Int

            var id: String { "\(log)\(seq)" }
            var position: String { "\(at).\(log).\(seq)" }
            var time: String {
                let (minutes, seconds) = (String(100 + at / 60).dropFirst(), String(100 + at % 60).dropFirst())
                return "2030-01-01T00:\(minutes):\(seconds).000Z"
            }
            var json: String { #"{"id":"\#(id)","logId":"\#(log)","seq":\#(seq),"at":"\#(time)","kind":"GATEWAY"}"# }

            static func < (a: Self, b: Self) -> Bool { (a.at, a.log, a.seq) < (b.at, b.log, b.seq) }
        }

        private struct State {
            var records: [Record] = []
            var failures = 0
            /// Part of every cursor. After a change, earlier cursors are rejected, as by a gateway whose keys have changed.
            var key = "k1"
        }

        private let state = Mutex(State())

        /// - Parameter at: seconds after midnight.
        @discardableResult
        func append(_ log: String, at: Int) -> String {
            state.withLock { state in
                let record = Record(at: at, log: log, seq: state.records.count { $0.log == log })
                state.records.append(record)
                return record.id
            }
        }

        /// Lets one more request succeed, and makes the `count` requests after it fail.
        func fail(_ count: Int) { state.withLock { $0.failures = count + 1 } }
        func invalidateCursors() { state.withLock { $0.key += "'" } }

        func respond(to request: StubGateway.Request) -> StubGateway.StubResponse {
            let items = URLComponents(string: request.uri)?.queryItems ?? []
            func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
            return state.withLock { state in
                if state.failures > 0 {
                    state.failures -= 1
                    if state.failures > 0 { return .error(503, "unavailable") }
                }
                var found = state.records.filter { value("logId") == nil || value("logId") == $0.log }.sorted()
                if value("order") != "asc" { found.reverse() }
                if let from = value("from") { found.removeAll { $0.time < from } }
                if let cursor = value("cursor") {
                    guard cursor.hasPrefix(state.key + ".") else { return .error(400, "invalid_request") }
                    let position = String(cursor.dropFirst(state.key.count + 1))
                    let last = state.records.first { $0.position == position }
                    found.removeAll { record in last.map { record <= $0 } ?? true }
                }
                let page = found.prefix(Int(value("limit") ?? "") ?? 50)
                let next = found.count > page.count ? page.last.map { "\"\(state.key).\($0.position)\"" } : nil
                return .data(#"{"accessRecords":[\#(page.map(\.json).joined(separator: ","))],"nextCursor":\#(next ?? "null")}"#)
            }
        }
    }

    private func following(
        _ logs: SimulatedLogs, showing count: Int, remembering capacity: Int = 20_000
    ) async throws -> (gateway: StubGateway, records: AccessRecords, follower: RecordFollower) {
        let gateway = try await StubGateway { request, _ in logs.respond(to: request) }
        let records = try DoorwardClient(patient: gateway.address, credentials: .none).accessRecords
        let newest = try await records.newest(.init(), limit: count)
        return (gateway, records, RecordFollower(query: .init(), after: newest.content, remembering: capacity))
    }

    @Test(
        "new records are returned once; records that the limit left out are not returned, even with the same timestamp",
        arguments: [1, 3, 50])
    func limited(_ count: Int) async throws {
        let logs = SimulatedLogs()
        for at in [1, 2, 3, 3, 3, 3] { logs.append("a", at: at) }
        var (gateway, records, follower) = try await following(logs, showing: count)
        #expect(try await follower.next(from: records) == [])
        let new = [logs.append("a", at: 3), logs.append("a", at: 4)]
        #expect(try await follower.next(from: records).map(\.record.id) == new)
        #expect(try await follower.next(from: records) == [])
        withExtendedLifetime(gateway) {}
    }

    @Test("records are still followed after a log's clock was set back")
    func clockStep() async throws {
        let logs = SimulatedLogs()
        for at in [10, 11] { logs.append("a", at: at) }
        logs.append("b", at: 20)
        var (gateway, records, follower) = try await following(logs, showing: 50)
        // The clock was half an hour ahead while log "a" was written to, and was then set back. Meanwhile the follower has
        // reached a page of the list of all logs that begins at this later time.
        let ahead = (0..<250).map { _ in logs.append("a", at: 1800) }
        #expect(try await follower.next(from: records).map(\.record.id) == ahead)
        let behind = [logs.append("b", at: 30), logs.append("a", at: 1800), logs.append("b", at: 31)]
        #expect(Set(try await follower.next(from: records).map(\.record.id)) == Set(behind))
        #expect(try await follower.next(from: records) == [])
        withExtendedLifetime(gateway) {}
    }

    @Test("a log without a shown record is followed too, even if its clock is set back")
    func notShown() async throws {
        let logs = SimulatedLogs()
        logs.append("b", at: 20)
        for at in 1800..<1810 { logs.append("a", at: at) }
        let gateway = try await StubGateway { request, _ in logs.respond(to: request) }
        let records = try DoorwardClient(patient: gateway.address, credentials: .none).accessRecords
        var follower = RecordFollower(query: .init(), after: try await records.newest(.init(), toFollowShowing: 1).content)
        let behind = logs.append("b", at: 30)
        #expect(try await follower.next(from: records).map(\.record.id) == [behind])
        withExtendedLifetime(gateway) {}
    }

    @Test(
        "more than a page of records with one timestamp, and records of a log that begins later, are returned once and in order")
    func pages() async throws {
        let logs = SimulatedLogs()
        var (gateway, records, follower) = try await following(logs, showing: 50)
        var expected = (0..<350).map { _ in logs.append("a", at: 7) }
        var returned = try await follower.next(from: records).map(\.record.id)
        for at in 8..<300 {
            expected.append(logs.append(at.isMultiple(of: 3) ? "b" : "a", at: at))
            if at.isMultiple(of: 50) { returned += try await follower.next(from: records).map(\.record.id) }
        }
        returned += try await follower.next(from: records).map(\.record.id)
        #expect(returned == expected)
        withExtendedLifetime(gateway) {}
    }

    @Test("a quiet log's records are not returned again after other logs had more new records than are remembered")
    func quietLog() async throws {
        let logs = SimulatedLogs()
        for log in ["a", "b"] { logs.append(log, at: 1) }
        var (gateway, records, follower) = try await following(logs, showing: 50, remembering: 20)
        let quiet = logs.append("b", at: 2)
        #expect(try await follower.next(from: records).map(\.record.id) == [quiet])
        for batch in 0..<20 {
            let new = (0..<10).map { _ in logs.append("a", at: 3 + batch) }
            #expect(try await follower.next(from: records).map(\.record.id) == new)
        }
        withExtendedLifetime(gateway) {}
    }

    @Test("records of the only log are not returned again when a second log begins")
    func secondLog() async throws {
        let logs = SimulatedLogs()
        logs.append("a", at: 1)
        var (gateway, records, follower) = try await following(logs, showing: 50, remembering: 20)
        for batch in 0..<20 {
            let new = (0..<10).map { _ in logs.append("a", at: 2 + batch) }
            #expect(try await follower.next(from: records).map(\.record.id) == new)
        }
        let new = [logs.append("b", at: 30), logs.append("a", at: 31)]
        #expect(try await follower.next(from: records).map(\.record.id) == new)
        withExtendedLifetime(gateway) {}
    }

    @Test("no record is lost if a request between two pages fails")
    func interrupted() async throws {
        let logs = SimulatedLogs()
        var (gateway, records, follower) = try await following(logs, showing: 50)
        let expected = (0..<250).map { logs.append("a", at: $0) }
        logs.fail(1)
        let request = { [follower] in
            var follower = follower
            return try await follower.next(from: records)
        }
        await #expect(throws: ClientError.self) { try await request() }
        #expect(try await follower.next(from: records).map(\.record.id) == expected)
        withExtendedLifetime(gateway) {}
    }

    @Test("if the gateway rejects the cursor, reading continues after the last record")
    func rejectedCursor() async throws {
        let logs = SimulatedLogs()
        var (gateway, records, follower) = try await following(logs, showing: 50)
        let first = (0..<250).map { logs.append("a", at: $0 / 100) }
        #expect(try await follower.next(from: records).map(\.record.id) == first)
        logs.invalidateCursors()
        let new = [logs.append("a", at: 2), logs.append("a", at: 3)]
        #expect(try await follower.next(from: records).map(\.record.id) == new)
        withExtendedLifetime(gateway) {}
    }
}
