import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Foundation
import Testing

@testable import AdapterSimulator

@Suite struct SimulatorAddressTests {
    private let adapter = SimulatorAdapter(clock: VirtualClock())

    @Test(
        "Addresses at the limits of the allowed ranges are accepted",
        arguments: [
            [:],
            ["latencyMs": .integer(0)], ["latencyMs": .integer(60_000)],
            ["jitterMs": .integer(0)], ["jitterMs": .integer(60_000)],
            ["seed": .integer(.min)], ["seed": .integer(.max)],
            ["batteryLevel": .integer(0)], ["batteryLevel": .integer(100)],
            ["initialState": .string("LOCKED")], ["initialState": .string("UNLOCKED")],
            ["jamRate": .integer(1)], ["jamRate": .number(0.25)],
            ["lostConfirmationRate": .integer(0)], ["lostConfirmationRate": .number(1)],
            ["lateConfirmationMs": .integer(0)], ["lateConfirmationMs": .integer(600_000)],
            ["autoRelockSeconds": .integer(3600)], ["lowBatteryLevel": .integer(90)], ["batteryPerMovement": .number(0.05)],
            ["batteryPerDay": .integer(100)], ["wrongStateRate": .integer(1)], ["duplicateRate": .number(0.5)],
            ["disorderRate": .integer(1)], ["disorderMs": .integer(600_000)], ["reportsNumbered": .bool(false)],
            ["offlineMemory": .integer(1000)], ["refusalRate": .integer(0)], ["lateConfirmationRate": .integer(1)],
            ["keypadSlots": .string("Ada")], ["keypadSlots": .string((1...32).map { "Slot \($0)" }.joined(separator: " , "))],
        ] as [[String: JSONValue]])
    func accepted(address: [String: JSONValue]) throws {
        #expect(try adapter.check(address: address).capabilities == .all)
    }

    @Test("The capabilities are those in the address, or all if it has none")
    func capabilities() throws {
        let named: JSONValue = .array([.string("LOCK"), .string("UNLOCK"), .string("LOCK")])
        #expect(try adapter.check(address: ["capabilities": named]).capabilities == [.lock, .unlock])
        #expect(try adapter.check(address: ["capabilities": .array([])]).capabilities == [])
        #expect(try adapter.check(address: [:]).capabilities == .all)
    }

    @Test(
        "A wrong value is reported with its field and the problem",
        arguments: [
            ("latency", .integer(1), "unknown_key"),
            ("latencyMs ", .integer(1), "unknown_key"),
            ("latencyMs", .integer(-1), "out_of_range"),
            ("latencyMs", .integer(60_001), "out_of_range"),
            ("latencyMs", .number(1.5), "wrong_type"),
            ("latencyMs", .string("1"), "wrong_type"),
            ("latencyMs", .null, "wrong_type"),
            ("latencyMs", .bool(true), "wrong_type"),
            ("jitterMs", .integer(-1), "out_of_range"),
            ("jitterMs", .array([]), "wrong_type"),
            ("seed", .string("seed"), "wrong_type"),
            ("seed", .number(1e300), "wrong_type"),
            ("batteryLevel", .integer(101), "out_of_range"),
            ("batteryLevel", .integer(-1), "out_of_range"),
            ("batteryLevel", .object([:]), "wrong_type"),
            ("capabilities", .string("LOCK"), "wrong_type"),
            ("capabilities", .array([.string("LOCK"), .integer(1)]), "wrong_type"),
            ("capabilities", .array([.string("LOCK"), .string("FLY")]), "unknown_capability"),
            ("capabilities", .array([.string("lock")]), "unknown_capability"),
            ("initialState", .string("JAMMED"), "unknown_value"),
            ("initialState", .string("locked"), "unknown_value"),
            ("initialState", .bool(false), "wrong_type"),
            ("jamRate", .number(1.01), "out_of_range"),
            ("jamRate", .number(-0.1), "out_of_range"),
            ("jamRate", .number(.nan), "out_of_range"),
            ("jamRate", .string("0.5"), "wrong_type"),
            ("lostConfirmationRate", .integer(2), "out_of_range"),
            ("lostConfirmationRate", .null, "wrong_type"),
            ("lateConfirmationMs", .integer(600_001), "out_of_range"),
            ("lateConfirmationMs", .string("late"), "wrong_type"),
            ("autoRelockSeconds", .integer(3601), "out_of_range"), ("autoRelockSeconds", .number(0.5), "wrong_type"),
            ("lowBatteryLevel", .integer(91), "out_of_range"), ("batteryPerMovement", .integer(101), "out_of_range"),
            ("batteryPerDay", .string("1"), "wrong_type"), ("refusalRate", .integer(-1), "out_of_range"),
            ("lateConfirmationRate", .integer(2), "out_of_range"), ("wrongStateRate", .number(1.5), "out_of_range"),
            ("duplicateRate", .bool(true), "wrong_type"), ("disorderRate", .number(-0.5), "out_of_range"),
            ("disorderMs", .integer(600_001), "out_of_range"), ("reportsNumbered", .integer(1), "wrong_type"),
            ("offlineMemory", .integer(1001), "out_of_range"), ("keypadSlots", .array([]), "wrong_type"),
            ("keypadSlots", .string(""), "out_of_range"), ("keypadSlots", .string("Ada,,Ben"), "out_of_range"),
            ("keypadSlots", .string("Ada, Ada"), "out_of_range"),
            ("keypadSlots", .string(String(repeating: "a", count: 65)), "out_of_range"),
            ("keypadSlots", .string((1...33).map { "\($0)" }.joined(separator: ",")), "out_of_range"),
        ] as [(String, JSONValue, String)])
    func refused(key: String, value: JSONValue, problem: String) {
        #expect(throws: AddressErrors([.init(field: "address.\(key)", problem: problem)])) {
            try adapter.check(address: [key: value])
        }
    }

    @Test("All errors are reported at once, sorted by field")
    func several() {
        let address: [String: JSONValue] = [
            "zone": .null, "batteryLevel": .integer(300), "latencyMs": .string("fast"), "jitterMs": .integer(5),
        ]
        let errors = AddressErrors([
            .init(field: "address.batteryLevel", problem: "out_of_range"),
            .init(field: "address.latencyMs", problem: "wrong_type"),
            .init(field: "address.zone", problem: "unknown_key"),
        ])
        #expect(throws: errors) { try adapter.check(address: address) }
    }

    @Test("A lock attached with an invalid address is offline and stays offline")
    func attachedAnyway() throws {
        let reports = try SimulatorFixture.play(
            ["latencyMs": .string("fast")], [.command(.unlock), .event(.online), .event(.clear), .refresh, .command(.lock)])
        #expect(reports == ["!offline@0", "!notAttached@0", "!notAttached@0", "!offline@0", "!offline@0"])
    }

    @Test("The published defaults equal the values of an empty address")
    func defaults() throws {
        var named: [String: JSONValue] = [:]
        for field in adapter.addressFields { named[field.name] = field.defaultValue }
        #expect(try SimulatorSettings(address: named) == SimulatorSettings(address: [:]))
    }

    @Test("The README has a row for each key and each event")
    func readme() throws {
        let page = try String(contentsOf: Repository.file("adapters/simulator/README.md"), encoding: .utf8)
        for field in adapter.addressFields { #expect(page.contains("\n| `\(field.name)` |"), "\(field.name)") }
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        for event in SimulatorEvent.allCases {
            #expect(rows.contains { $0.split(separator: "|")[0].contains("`\(event.rawValue)`") }, "\(event.rawValue)")
        }
    }
}
