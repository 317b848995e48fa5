import Testing

@testable import DoorwardClient

@Suite("Lists with several pages") struct PagesTests {
    private static func page(_ number: Int, of pages: Int, _ devices: String) -> StubGateway.StubResponse {
        .data(
            #"{"devices":[\#(devices)],"pagination":{"totalItems":3,"totalPages":\#(pages),"currentPage":\#(number),"pageSize":2}}"#
        )
    }

    @Test("all pages are requested and joined into one document that keeps every field")
    func several() async throws {
        let gateway = try await StubGateway { _, before in
            before == 0
                ? Self.page(1, of: 2, #"{"id":"a","name":"A","new":[1, 2]},{"id":"b","name":"B"}"#)
                : Self.page(2, of: 2, #"{"id":"c","name":"C","state":"FUTURE"}"#)
        }
        let client = try DoorwardClient(patient: gateway.address, credentials: .none)
        let all = try await client.devices.list([("propertyId", "p")]).all()
        #expect(all.content.map(\.id) == ["a", "b", "c"])
        #expect(all.content.map(\.state) == [nil, nil, "FUTURE"])
        #expect(
            String(decoding: all.json, as: UTF8.self)
                == #"{"devices":[{"id":"a","name":"A","new":[1, 2]},{"id":"b","name":"B"},{"id":"c","name":"C","state":"FUTURE"}],"#
                + #""pagination":{"totalItems":3,"totalPages":1,"currentPage":1,"pageSize":3}}"#)
        #expect(
            gateway.requests.map(\.uri) == [1, 2].map { "/api/v1/devices?propertyId=p&sortBy=name&page=\($0)&limit=200" })
    }

    @Test("a single page is returned byte for byte, also if it is empty")
    func one() async throws {
        let gateway = try await StubGateway { _, _ in
            .data(#"{ "devices" : [ ] ,"pagination":{"totalItems":0,"totalPages":0,"currentPage":1,"pageSize":200},"x":0.10}"#)
        }
        let all = try await DoorwardClient(patient: gateway.address, credentials: .none).devices.list().all()
        #expect(all.content.isEmpty)
        #expect(
            String(decoding: all.json, as: UTF8.self)
                == #"{ "devices" : [ ] ,"pagination":{"totalItems":0,"totalPages":0,"currentPage":1,"pageSize":200},"x":0.10}"#)
        #expect(gateway.requests.count == 1)
    }
}
