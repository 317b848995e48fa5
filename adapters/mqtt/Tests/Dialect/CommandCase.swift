import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

/// A command and its expected messages.
struct CommandCase: Sendable, CustomTestStringConvertible {
    let name: String
    let profile: String
    let address: [String: String]
    let operation: LockOperation
    var code: String?
    /// Topic, payload and QoS of the command; then the topics of the state requests, each after `?`.
    let expected: String

    var testDescription: String { "\(name): \(profile) \(operation.rawValue)" }

    init(
        _ name: String, _ profile: String, _ address: [String: String], _ operation: LockOperation, code: String? = nil,
        _ expected: String
    ) {
        (self.name, self.profile, self.address, self.operation) = (name, profile, address, operation)
        (self.code, self.expected) = (code, expected)
    }
}

extension DialectFixture {
    /// - Parameter milliseconds: when the command is sent, by the gateway's clock.
    mutating func encode(
        _ operation: LockOperation, code: String? = nil, reference: String = "a1", at milliseconds: Int64? = nil
    ) throws -> String {
        let (command, stateRequests) = try dialect.encodeCommand(
            operation, code: code.map { Secret($0) }, reference: reference,
            at: milliseconds.map { Timestamp(milliseconds: $0) }, &state)
        let message = "\(command.topic) \(String(decoding: command.payload, as: UTF8.self)) q\(command.qos.rawValue)"
        return ([message] + stateRequests.map { "?\($0.topic)" }).joined(separator: "; ")
    }
}
