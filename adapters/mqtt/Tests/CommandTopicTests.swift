import AdapterMQTT
import DoorwardDomain
import DoorwardMQTT
import Testing

@Suite struct CommandTopicTests {
    private func topic(_ variables: [String: JSONValue]) throws -> String {
        let profile = try #require(ProfileLibrary.shipped["zwave-js-ui"])
        return try Dialect(profile, variables: variables).commandTopic.description
    }

    @Test("nodes of one gateway API have different command topics; the topic of a node is the same with and without the API")
    func api() throws {
        let front = try topic(["node": "front", "gateway": "office", "nodeId": .integer(5)])
        #expect(front == "zwave/front/98/0/targetMode/set")
        #expect(try topic(["node": "back", "gateway": "office", "nodeId": .integer(6)]) != front)
        #expect(try topic(["node": "front"]) == front)
    }
}
