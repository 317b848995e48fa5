import DoorwardDomain
import DoorwardTesting
import Foundation
import Testing

@Suite struct JSONValueRandomTests {
    private func value(_ generator: inout SeededGenerator, depth: Int = 0) -> JSONValue {
        switch Int.random(in: 0..<(depth < 4 ? 8 : 5), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .integer(Int64.random(in: .min ... .max, using: &generator))
        case 3: return .number(Double(Int.random(in: -1000...1000, using: &generator)) + 0.5)
        case 4: return .string(text(&generator))
        case 5, 6:
            return .array((0..<Int.random(in: 0...4, using: &generator)).map { _ in value(&generator, depth: depth + 1) })
        default:
            var object: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                object[text(&generator)] = value(&generator, depth: depth + 1)
            }
            return .object(object)
        }
    }

    private func text(_ generator: inout SeededGenerator) -> String {
        let characters = Array("ab\"\\/\n\t\u{1}é漢🔐 0")
        return String(
            (0..<Int.random(in: 0...6, using: &generator)).compactMap { _ in characters.randomElement(using: &generator) })
    }

    @Test("Any value is decoded as it was encoded", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = JSONValue.array([value(&generator)])
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test(
        "A number without a fraction that fits into 64 bits is an integer",
        arguments: [
            ("0", .integer(0)), ("-0", .integer(0)), ("-1", .integer(-1)), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("0.5", .number(0.5)), ("-2.25", .number(-2.25)), ("1e-3", .number(0.001)), ("1e40", .number(1e40)),
        ] as [(String, JSONValue)])
    func numbers(text: String, value: JSONValue) throws {
        #expect(try JSONDecoder().decode([JSONValue].self, from: Data("[\(text)]".utf8)) == [value])
    }

    @Test("Booleans, numbers, strings and null are not converted into each other")
    func kinds() throws {
        let read = try JSONDecoder().decode([JSONValue].self, from: Data("[true,1,\"1\",\"true\",null,\"null\"]".utf8))
        #expect(read == [.bool(true), .integer(1), .string("1"), .string("true"), .null, .string("null")])
    }

    @Test("A member that is null is distinguished from an absent one")
    func nullAndAbsent() throws {
        guard case .object(let fields) = try JSONDecoder().decode(JSONValue.self, from: Data("{\"a\":null}".utf8)) else {
            Issue.record("not an object")
            return
        }
        #expect(fields.count == 1)
        #expect(fields["a"] == .some(.null))
        #expect(fields["b"] == nil)
    }

    @Test("Values of different kinds are never equal")
    func distinct() {
        let values: [JSONValue] = [
            .null, .bool(false), .integer(0), .number(0), .string(""), .string("0"), .string("null"), .array([]), .array([.null]),
            .object([:]), .object(["": .null]),
        ]
        for (i, a) in values.enumerated() {
            for (j, b) in values.enumerated() { #expect((a == b) == (i == j)) }
        }
    }
}
