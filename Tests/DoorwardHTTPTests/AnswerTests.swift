import DoorwardDomain
import HTTPTypes
import Testing

@testable import DoorwardClient
@testable import DoorwardHTTP

/// The server's responses contain exactly the keys that the client's types read.
@Suite struct AnswerTests {
    @Test("Every route has an example of a successful request")
    func complete() {
        // The form of the document is that of OpenAPI, see `OpenAPITests`.
        let routes = RouteTable.routes.map { "\($0.method.rawValue) \($0.path)" }.filter { $0 != "GET /api/v1/openapi.json" }
        #expect(Set(RouteAnswer.all.map(\.route)) == Set(routes))
        #expect(RouteAnswer.all.count == routes.count)
    }

    /// Keys that depend on the reason of a denial. No response in these tests contains them.
    private static let elsewhere: Set<String> = [
        "DoorwardClient.Doorward.Denial.Missing.capability", "DoorwardClient.Doorward.Denial.Missing.module",
        "DoorwardClient.Doorward.Denial.Missing.role",
    ]

    @Test("The client's types read every key of every response, and every key that they read is in some response")
    func keys() async throws {
        let recorder = KeyRecorder()
        for answer in RouteAnswer.all {
            let reply = try await answer.call(try await RouteHouse())
            // The page without script answers 303 to a command.
            #expect((200..<300).contains(reply.status) || reply.status == 303, "\(answer.route): \(reply.status) \(reply.text)")
            guard let read = answer.read else {
                #expect(reply.json == .null, "\(answer.route)")
                continue
            }
            do {
                try read(recorder, reply.json)
            } catch {
                Issue.record("\(answer.route): \(error)")
            }
        }
        #expect(recorder.unread.sorted() == [])
        #expect(Set(recorder.absent) == Self.elsewhere)
    }

    @Test("The key recorder finds a key that no type reads and a key that no response contains")
    func found() throws {
        let recorder = KeyRecorder()
        let json = try JSONValue.parse(Array(#"{"id":"u","name":"2B","shine":{"deep":1}}"#.utf8))
        _ = try recorder.decode(Doorward.Unit.self, from: json, at: "unit")
        #expect(recorder.unread == ["unit.shine"])
        #expect(recorder.absent.contains("DoorwardClient.Doorward.Unit.propertyId"))
        #expect(!recorder.absent.contains("DoorwardClient.Doorward.Unit.name"))
    }
}
