import Foundation
import Synchronization
import Testing

@testable import DoorwardClient

@Suite("Reading an access log by pages") struct AccessRecordsTests {
    private static func record(_ id: String, _ at: String) -> String {
        #"{"id":"\#(id)","at":"2030-01-01T00:00:\#(at)Z","kind":"GATEWAY"}"#
    }

    private static func page(_ records: [String], next: String? = nil) -> StubGateway.StubResponse {
        .data(#"{"accessRecords":[\#(records.joined(separator: ","))],"nextCursor":\#(next.map { "\"\($0)\"" } ?? "null")}"#)
    }

    private func records(_ gateway: StubGateway) throws -> AccessRecords {
        try DoorwardClient(patient: gateway.address, credentials: .none).accessRecords
    }

    @Test("the newest records are collected over several pages up to a limit")
    func newest() async throws {
        let gateway = try await StubGateway { request, before in
            Self.page([Self.record("r\(2 * before)", "09.000"), Self.record("r\(2 * before + 1)", "08.000")], next: "n\(before)")
        }
        let entries = try await records(gateway).newest(.device("d").with("decision", "DENIED"), limit: 4)
        #expect(entries.map(\.value.id) == ["r0", "r1", "r2", "r3"])
        #expect(
            gateway.requests.map(\.uri) == [
                "/api/v1/access-records?decision=DENIED&deviceId=d&limit=4",
                "/api/v1/access-records?decision=DENIED&deviceId=d&limit=2&cursor=n0",
            ])
    }

    @Test("each page is handed over before the next one is requested, oldest first, until the end or until enough is read")
    func eachPage() async throws {
        for (stop, count) in [(9, 3), (2, 2)] {
            let gateway = try await StubGateway { _, before in
                Self.page([Self.record("r\(before)", "08.000")], next: before == 2 ? nil : "n\(before)")
            }
            let query = AccessRecords.Query(filters: ["from": "2030-01-01T00:00:00Z"])
            var seen: [String] = []
            try await records(gateway).eachPage(query, oldestFirst: true) { page, next in
                seen += page.map(\.value.id)
                #expect(gateway.requests.count == seen.count && (next == nil) == (seen.count == 3))
                return seen.count < stop
            }
            #expect(seen == ["r0", "r1", "r2"].prefix(count).map(\.self) && gateway.requests.count == count)
            #expect(gateway.requests.allSatisfy { $0.uri.contains("&order=asc&") }, "\(gateway.requests.map(\.uri))")
        }
    }

    @Test("records to follow are handed over page by page, oldest first, and the position is after the last one")
    func toFollow() async throws {
        let gateway = try await StubGateway { _, before in
            Self.page([Self.record("r\(before)", "0\(before).000")], next: before == 2 ? nil : "n\(before)")
        }
        let query = AccessRecords.Query(filters: ["from": "2030-01-01T00:00:00Z"])
        var seen: [String] = []
        let cursor = try await records(gateway).eachPage(toFollow: query) { page in
            seen += page.map(\.value.id)
            #expect(gateway.requests.count == seen.count)
            return true
        }
        #expect(seen == ["r0", "r1", "r2"])
        let followed = try ["02", "03"].map { second in
            let record = Self.record("r\(second.suffix(1))", "\(second).000")
            return try JSONDecoder().decode(Doorward.AccessRecord.self, from: Data(record.utf8))
        }
        var position = try #require(cursor)
        #expect(followed.map { position.insert($0) } == [false, true])
        #expect(try await self.records(gateway).eachPage(toFollow: query) { _ in false } == nil)
    }
}
