import ArgumentParser
import FoundationEssentials
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("doorward subscription") struct SubscriptionTests {
    private let pipe = OutputStyle(isTerminal: false, environment: [:])

    @Test("tier, modules and limits are shown under the names that `set` takes, also those of a newer gateway")
    func shown() {
        let subscription = Doorward.Subscription(
            tier: "gold\u{1B}", modules: ["webhooks": false, "guestAccess": true], limits: ["maxUnits": 5, "maxFloors": 2],
            usage: ["properties": 1, "units": 5])
        #expect(
            SubscriptionShow.lines(subscription, pipe) == [
                "tier\tgold\u{241B}", "guestAccess\ton", "webhooks\toff", "maxFloors\t? of 2", "maxProperties\t1 of no limit",
                "maxUnits\t5 of 5",
            ])
    }

    @Test("a module is switched with on or off", arguments: [("webhooks=on", true), ("webhooks=OFF", false)])
    func modules(_ text: String, _ isOn: Bool) throws {
        let module = try SubscriptionArgument.module(text)
        #expect(module.name == "webhooks" && module.value == .bool(isOn))
    }

    @Test("any other text is no module switch", arguments: ["webhooks", "webhooks=", "=on", "webhooks=true", "a=on=off"])
    func noModule(_ text: String) { #expect(throws: ValidationError.self) { try SubscriptionArgument.module(text) } }

    @Test(
        "a limit is a number from 0, or none",
        arguments: [("maxUnits=200", .integer(200)), ("maxUnits=0", .integer(0)), ("maxUnits=None", .null)]
            as [(String, Doorward.JSONValue)])
    func limits(_ text: String, _ value: Doorward.JSONValue) throws {
        let limit = try SubscriptionArgument.limit(text)
        #expect(limit.name == "maxUnits" && limit.value == value)
    }

    @Test(
        "any other text is no limit", arguments: ["maxUnits", "maxUnits=", "=3", "maxUnits=-1", "maxUnits=1.5", "maxUnits=many"])
    func noLimit(_ text: String) { #expect(throws: ValidationError.self) { try SubscriptionArgument.limit(text) } }

    @Test(
        "a wrong field is reported under its option",
        arguments: [
            ("tier", "--tier"), ("modules", "--module"), ("modules.webhook", "--module webhook"),
            ("limits.maxUnits", "--limit maxUnits"),
        ])
    func options(_ field: String, _ option: String) { #expect(SubscriptionSet.option(field)?.name == option) }

    @Test(
        "no change, or two values for one name, is wrong usage",
        arguments: [
            [], ["--module", "a=on", "--module", "a=off"], ["--limit", "a=1", "--limit", "a=2"], ["--module", "a"],
            ["--limit", "a=-1"],
        ])
    func usage(_ options: [String]) {
        let error = #expect(throws: (any Error).self) { try DoorwardCommand.parseAsRoot(["subscription", "set", "p"] + options) }
        if let error { #expect(DoorwardCommand.exitCode(for: error) == .validationFailure) }
    }
}
