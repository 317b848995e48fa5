import ArgumentParser
import DoorwardMQTT
import Foundation
import Testing

@testable import doorward_mqtt_locks

@Suite struct ArgumentsTests {
    private static let broker = ["--broker", "mqtt://127.0.0.1:1883"]

    @Test(
        "wrong arguments are rejected with a message that says what is valid",
        arguments: [
            ([], "Name a profile"), (["--profile", "esphome"], "Name the broker"),
            (broker + ["--profile", "nuki"], "homeassistant, zigbee2mqtt, nuki-native"),
            (broker + ["--profile", "esphome:0"], "esphome:0: the number of locks is from 1 to 200"),
            (broker + ["--profile", "esphome:x"], "the number of locks is from 1 to 200"),
            (broker + ["--profile", "esphome", "--profile", "esphome:2"], "given twice"),
            (broker + ["--profile", "esphome:201"], "at most 200"),
            (broker + ["--profile", "esphome", "--count", "0"], "--count"),
            (broker + ["--profile", "esphome", "--latency", "400ms-50ms"], "--latency"),
            (broker + ["--profile", "esphome", "--latency", "fast"], "--latency"),
            (broker + ["--profile", "esphome", "--report-every", "0s"], "--report-every"),
            (broker + ["--profile", "esphome", "--jam", "1.1"], "--jam is a rate"),
            (broker + ["--profile", "esphome", "--wrong-state=-1"], "--wrong-state is a rate"),
            (broker + ["--profile", "esphome", "--manual-per-minute=-1"], "--manual-per-minute"),
            (broker + ["--profile", "esphome", "--drain", "nan"], "--drain"),
            (broker + ["--profile", "esphome", "--ca-file", "ca.pem"], "--ca-file"),
            (broker + ["--profile", "esphome", "--password-file", "p"], "--username"),
            (["--broker", "http://x", "--profile", "esphome"], "mqtt://HOST"),
            (["--broker", "mqtt://", "--profile", "esphome"], "mqtt://HOST"),
            (["--broker", "mqtt://u:p@x", "--profile", "esphome"], "mqtt://HOST"),
            (["--broker", "mqtt://x:99999", "--profile", "esphome"], "mqtt://HOST"),
        ] as [([String], String)])
    func mistakes(arguments: [String], words: String) {
        do {
            _ = try MQTTLocks.parse(arguments)
            #expect(Bool(false), "accepted: \(arguments)")
        } catch {
            #expect(MQTTLocks.message(for: error).contains(words))
        }
    }

    @Test("a mixed fleet is parsed with its counts, timing and fault rates")
    func plan() throws {
        let command = try MQTTLocks.parse(
            Self.broker + [
                "--profile", "zigbee2mqtt:10", "--profile", "nuki-native", "--count", "5", "--latency", "1s-1.5s", "--seed", "9",
                "--report-every", "1m", "--jam", "0.05", "--manual-per-minute", "2", "--no-discovery",
            ])
        let plan = try command.plan()
        #expect(plan.parts == [.init(profile: .zigbee2mqtt, count: 10), .init(profile: .nukiNative, count: 5)])
        #expect(plan.settings.latency == .seconds(1) ... .milliseconds(1500))
        #expect(plan.settings.reportEvery == .seconds(60))
        #expect(plan.settings.rates[.jam] == 0.05 && plan.settings.rates[.drop] == 0)
        #expect(plan.seed == 9 && plan.manualPerMinute == 2 && !plan.settings.publishesDiscovery)
    }

    @Test("--list needs no broker, the password is the first line of its file, and a missing file is reported")
    func files() throws {
        #expect(try MQTTLocks.parse(["--list", "--profile", "esphome"]).list)
        let file = FileManager.default.temporaryDirectory.appending(path: "doorward-password-\(UUID().uuidString)")
        try "secret\nrest".write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let options = ["--profile", "esphome", "--username", "u", "--password-file"]
        let broker = try MQTTLocks.parse(Self.broker + options + [file.path]).broker
        #expect(try broker.settings().user?.name == "u")
        #expect(try broker.password() == "secret")
        let missing = try MQTTLocks.parse(Self.broker + options + [file.path + "x"])
        #expect(throws: ValidationError.self) { try missing.broker.settings() }
    }
}
