import DoorwardTesting
import Foundation
import Testing

/// A house with MQTT locks: the broker, the fleet of locks, and a gateway that discovers them.
struct MQTTHouse: Sendable {
    let broker: MosquittoProcess
    let fleet: RunningFleet
    let gateway: RunningGateway
    let house: House
    let admin: Caller
    /// `--config` and its file, for a later start.
    let options: [String]

    /// - Parameter host: the name or address with which the gateway connects to the local broker.
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

    /// Returns the same house with another run of the gateway.
    func at(_ gateway: RunningGateway) -> MQTTHouse {
        MQTTHouse(
            broker: broker, fleet: fleet, gateway: gateway, house: house, admin: admin.at(gateway), options: options)
    }

    var owner: Caller { house.owner.at(gateway) }

    // MARK: Attaching

    /// Waits until that many locks are discovered, and returns them as `GET /devices/discovered` lists them.
    func found(_ count: Int) async throws -> [JSON] {
        while true {
            var found: [JSON] = []
            for page in 1... {
                let answer = try await admin.get("/devices/discovered?limit=50&page=\(page)")
                try #require(answer.status == 200, "\(answer.body)")
                found += answer.data["discoveredDevices"].items
                if answer.data["discoveredDevices"].items.count < 50 { break }
            }
            // A list that grows between two of its pages contains a lock twice, and may lack another.
            if found.count >= count, Set(found.map { $0["id"].text }).count == found.count { return found }
            try Task.checkCancellation()
        }
    }

    /// Attaches a lock to the house by its address.
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

    /// Attaches all discovered locks, and waits until each is online.
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

    /// Waits until `GET /adapters` reports this health of the MQTT adapter.
    func untilHealth(_ health: String) async throws {
        while true {
            let adapters = try await admin.get("/adapters").data["adapters"].items
            let mqtt = try #require(adapters.first { $0["kind"] == .string("mqtt") })
            if mqtt["health"] == .string(health) { return }
            try Task.checkCancellation()
        }
    }

    // MARK: Commands

    /// Sends a command without waiting for the lock. Returns the command's id, or `nil` if the gateway accepted none.
    func ask(_ operation: String, _ door: MQTTDoor, milliseconds: Int = 1_000) async throws -> String? {
        let answer = try await owner.post(
            "/devices/\(door.id)/\(operation)", #"{"timeoutMs":\#(milliseconds)}"#, ["Prefer": "respond-async"])
        return answer.data["command"]["id"].text ?? answer.body["details"]["command"]["id"].text
    }

    /// Sends a command, waits until the lock has confirmed it, and returns the command's id.
    func confirmed(_ operation: String, _ door: MQTTDoor) async throws -> String {
        let answer = try await owner.post("/devices/\(door.id)/\(operation)", #"{"timeoutMs":30000}"#)
        try #require(answer.status == 200, "\(answer.body)")
        #expect(answer.data["command"]["state"] == .string("CONFIRMED"))
        return try #require(answer.data["command"]["id"].text)
    }

    /// Waits for a command's outcome.
    func ended(_ id: String) async throws -> MQTTCommand {
        while true {
            let command = try await owner.get("/commands/\(id)").data["command"]
            if command["completedAt"] != .null { return try MQTTCommand(command) }
            try Task.checkCancellation()
        }
    }
}

/// An attached lock of the fleet.
struct MQTTDoor: Sendable {
    let id: String
    /// The topic of its commands.
    let topic: String
    let isNuki: Bool

    /// Returns the payload of a command in the lock's own format.
    func payload(of operation: String) -> String {
        switch (isNuki, operation) {
        case (true, "UNLOCK"): "1"
        case (true, _): "2"
        case (false, _): #"{"state":"\#(operation)"}"#
        }
    }
}

/// A completed command, read from the API.
struct MQTTCommand: Sendable {
    let id: String
    let deviceID: String
    let operation: String
    let state: String
    /// Whether the command was sent to the broker; true if this is unknown.
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
