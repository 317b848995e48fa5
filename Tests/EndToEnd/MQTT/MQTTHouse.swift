import DoorwardTesting
import Foundation
import Testing

/// A house whose locks hang on a broker: the broker, its fleet, and a gateway that finds them.
struct MQTTHouse: Sendable {
    let broker: MosquittoProcess
    let fleet: RunningFleet
    let gateway: RunningGateway
    let house: House
    let admin: Caller
    /// `--config` and its file, for another start.
    let options: [String]

    /// - Parameter host: the name or address of this machine by which the gateway connects to the broker.
    static func build(_ fleet: [String], host: String = "127.0.0.1") async throws -> MQTTHouse {
        let folder = try TemporaryFolder()
        let broker = try await MosquittoProcess.start()
        let configuration = try folder.write(
            """
            mqtt:
              - { name: home, url: "mqtt://\(host):\(broker.port)", discovery: true, profiles: [zigbee2mqtt, homeassistant] }
            """, to: "doorward.yaml")
        let options = ["--config", configuration]
        let running = try await RunningFleet.start(fleet, port: broker.port, in: folder)
        let gateway = try await RunningGateway.first(in: folder, options)
        return MQTTHouse(
            broker: broker, fleet: running, gateway: gateway, house: try await House.build(on: gateway),
            admin: try await gateway.signIn(RunningGateway.adminEmail), options: options)
    }

    /// The same house at another run of the gateway.
    func at(_ gateway: RunningGateway) -> MQTTHouse {
        MQTTHouse(
            broker: broker, fleet: fleet, gateway: gateway, house: house, admin: admin.at(gateway), options: options)
    }

    var owner: Caller { house.owner.at(gateway) }

    // MARK: Attaching

    /// Waits until that many locks have been found; what `GET /devices/discovered` says of each.
    func found(_ count: Int) async throws -> [JSON] {
        while true {
            var found: [JSON] = []
            for page in 1... {
                let answer = try await admin.get("/devices/discovered?limit=50&page=\(page)")
                try #require(answer.status == 200, "\(answer.body)")
                found += answer.data["discoveredDevices"].items
                if answer.data["discoveredDevices"].items.count < 50 { break }
            }
            // A list that grows between two of its pages shows a lock twice, and may leave one out.
            if found.count >= count, Set(found.map { $0["id"].text }).count == found.count { return found }
            try Task.checkCancellation()
        }
    }

    /// Hands a lock over to the house by its address.
    func attach(_ name: String, _ address: JSON) async throws -> MQTTDoor {
        let body = try JSONEncoder().encode(
            JSON.object([
                "name": .string(name), "adapter": .string("mqtt"), "address": address,
                "propertyId": .string(house.propertyID), "unitId": .string(house.unitID),
            ]))
        let answer = try await admin.post("/devices", String(decoding: body, as: UTF8.self))
        let id = try #require(answer.data["device"]["id"].text, "\(answer.status) \(answer.body)")
        let nuki = address["profile"] == .string("nuki-native")
        let topic = nuki ? "nuki/\(address["id"].text ?? "")/lockAction" : "zigbee2mqtt/\(address["name"].text ?? "")/set"
        return MQTTDoor(id: id, topic: topic, isNuki: nuki)
    }

    /// Attaches all that are found, and waits until each can be reached.
    func attachFound(_ count: Int) async throws -> [MQTTDoor] {
        var doors: [MQTTDoor] = []
        for (index, lock) in try await found(count).enumerated() {
            doors.append(try await attach("Door \(index)", lock["address"]))
        }
        try await untilOnline(doors)
        return doors
    }

    // MARK: Waiting

    func untilOnline(_ doors: [MQTTDoor]) async throws {
        for door in doors {
            while try await owner.get("/devices/\(door.id)/status").data["status"]["isOnline"] != .bool(true) {
                try Task.checkCancellation()
            }
        }
    }

    /// Waits until `GET /adapters` says this of the broker's locks.
    func untilHealth(_ health: String) async throws {
        while true {
            let adapters = try await admin.get("/adapters").data["adapters"].items
            let mqtt = try #require(adapters.first { $0["kind"] == .string("mqtt") })
            if mqtt["health"] == .string(health) { return }
            try Task.checkCancellation()
        }
    }

    // MARK: Orders

    /// Asks without waiting for the lock; the command's id, or `nil` where the gateway took none.
    func ask(_ operation: String, _ door: MQTTDoor, milliseconds: Int = 1_000) async throws -> String? {
        let answer = try await owner.post(
            "/devices/\(door.id)/\(operation)", #"{"timeoutMs":\#(milliseconds)}"#, ["Prefer": "respond-async"])
        return answer.data["command"]["id"].text ?? answer.body["details"]["command"]["id"].text
    }

    /// Asks and waits; the command, which the lock must have confirmed.
    func confirmed(_ operation: String, _ door: MQTTDoor) async throws -> String {
        let answer = try await owner.post("/devices/\(door.id)/\(operation)", #"{"timeoutMs":30000}"#)
        try #require(answer.status == 200, "\(answer.body)")
        #expect(answer.data["command"]["state"] == .string("CONFIRMED"))
        return try #require(answer.data["command"]["id"].text)
    }

    /// Waits for a command's end.
    func ended(_ id: String) async throws -> MQTTCommand {
        while true {
            let command = try await owner.get("/commands/\(id)").data["command"]
            if command["completedAt"] != .null { return try MQTTCommand(command) }
            try Task.checkCancellation()
        }
    }
}

/// A lock of the fleet that is attached.
struct MQTTDoor: Sendable {
    let id: String
    /// Where it is told to move.
    let topic: String
    let isNuki: Bool

    /// What it is told, in its own words.
    func payload(of operation: String) -> String {
        switch (isNuki, operation) {
        case (true, "UNLOCK"): "1"
        case (true, _): "2"
        case (false, _): #"{"state":"\#(operation)"}"#
        }
    }
}

/// A command that has ended, as the API gives it.
struct MQTTCommand: Sendable {
    let id: String
    let deviceID: String
    let operation: String
    let state: String
    /// Whether it was handed to the broker, as far as that is known.
    let wasSent: Bool

    init(_ command: JSON) throws {
        id = try #require(command["id"].text)
        deviceID = try #require(command["deviceId"].text)
        operation = try #require(command["operation"].text)
        state = try #require(command["state"].text)
        wasSent = command["sent"] != .bool(false)
    }
}

extension JSON: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
