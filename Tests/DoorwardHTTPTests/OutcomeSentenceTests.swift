import DoorwardControl
import DoorwardDomain
import Testing

@testable import DoorwardHTTP

/// The message of the response to a command whose outcome is unknown.
@Suite struct OutcomeSentenceTests {
    @Test("the message advises to check the door unless the command was not sent", arguments: [nil, false, true])
    func sentence(sent: Bool?) {
        let now = Timestamp(milliseconds: 0)
        let command = Command(
            id: CommandID(high: 1, low: 1), deviceID: DeviceID(high: 1, low: 2), operation: .unlock, state: .unknown,
            actor: .gateway, source: .api, rule: .superAdmin, sent: sent, requestedAt: now, deadline: now)
        let answer = ErrorResponse(ending: command)
        #expect(answer.code == "outcome_unknown")
        #expect(answer.message.contains("check the door") == (sent != false))
        #expect(answer.message.contains("not sent") == (sent == false))
    }
}
