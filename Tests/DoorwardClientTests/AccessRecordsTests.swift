import DoorwardAPI
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

    @Test("the newest records are collected over several pages up to a limit, together with the cursor that follows them")
    func newest() async throws {
        let gateway = try await StubGateway { request, before in
            Self.page([Self.record("r\(2 * before)", "09.000"), Self.record("r\(2 * before + 1)", "08.000")], next: "n\(before)")
        }
        let page = try await records(gateway).newest(.init(deviceID: "d", decision: "DENIED"), limit: 4)
        #expect(page.content.map(\.record.id) == ["r0", "r1", "r2", "r3"])
        #expect(String(decoding: page.json, as: UTF8.self).hasSuffix(#"],"nextCursor":"n1"}"#))
        #expect(
            gateway.requests.map(\.uri) == [
                "/api/v1/access-records?deviceId=d&decision=DENIED&limit=4",
                "/api/v1/access-records?deviceId=d&decision=DENIED&limit=2&cursor=n0",
            ])
    }
}
