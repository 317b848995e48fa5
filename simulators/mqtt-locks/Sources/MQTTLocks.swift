import ArgumentParser
import Foundation

/// `doorward-mqtt-locks`: simulates locks on a real broker.
@main
struct MQTTLocks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doorward-mqtt-locks", abstract: "Play a fleet of MQTT locks on a broker.",
        discussion: """
            Prints "ready" once every lock has connected, subscribed and announced itself, and answers each line on standard \
            input with "ok" or "error":

            \(ControlCommand.help)
            """)

    @OptionGroup(title: "The broker")
    var broker: BrokerOptions

    @Option(name: .customLong("profile"), help: "PROFILE or PROFILE:COUNT; may be given several times, for a mixed fleet.")
    var profiles: [String] = []
    @Option(help: "Number of locks of each profile that is given without a count.")
    var count = 1
    @Option(help: "Time from a command to the end of the movement: 50ms-400ms, or 100ms.")
    var latency = "50ms-400ms"
    @Option(help: "Seed of ids, codes and random faults: the same seed gives the same fleet.")
    var seed: UInt64 = 1
    @Option(help: "Manual operations per minute (thumb turn or code) in the whole fleet.")
    var manualPerMinute = 0.0
    @Option(help: "Percent of the battery that a movement uses.")
    var drain = 0.05
    @Option(help: "Interval at which each lock publishes its state without a change: 60s.")
    var reportEvery: String?
    @Flag(help: "Publish no discovery messages.")
    var noDiscovery = false
    @Option(help: "Write every message that the fleet receives or publishes to this file, one JSON object a line.")
    var frames: String?
    @Flag(help: "Print the locks as JSON, with the variables that a gateway needs, and exit.")
    var list = false
    @OptionGroup(title: "What goes wrong")
    var faults: FaultOptions

    func validate() throws {
        _ = try plan()
        if !list, broker.broker == nil { throw ValidationError("Name the broker: --broker mqtt://HOST[:PORT].") }
    }

    static func main() async {
        do {
            var command = try await asyncParseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            // Usage errors exit with 2, as in the gateway.
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            try? FileHandle.standardError.write(contentsOf: Data((fullMessage(for: error) + "\n").utf8))
            Foundation.exit(2)
        }
    }

    /// - Throws: the first mistake in the arguments.
    func plan() throws -> FleetPlan {
        guard count > 0 else { throw ValidationError("--count is at least 1.") }
        guard !profiles.isEmpty else { throw ValidationError("Name a profile: --profile with one of \(Profile.names).") }
        var plan = FleetPlan(parts: try parts(), seed: seed, manualPerMinute: manualPerMinute)
        guard let range = ClosedRange<Duration>(typed: latency) else {
            throw ValidationError("--latency takes a duration or a range, such as 100ms or 50ms-400ms.")
        }
        plan.settings.latency = range
        guard (0...100).contains(drain) else { throw ValidationError("--drain is from 0 to 100 percent.") }
        guard (0...60_000).contains(manualPerMinute) else { throw ValidationError("--manual-per-minute is from 0 to 60000.") }
        plan.settings.drain = drain
        if let reportEvery {
            guard let interval = Duration(typed: reportEvery), interval > .zero else {
                throw ValidationError("--report-every takes a duration, such as 60s.")
            }
            plan.settings.reportEvery = interval
        }
        plan.settings.rates = faults.rates
        plan.settings.publishesDiscovery = !noDiscovery
        return plan
    }

    private func parts() throws -> [FleetPlan.Part] {
        var seen: Set<Profile> = []
        return try profiles.map { text in
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let profile = Profile(rawValue: parts[0]) else {
                throw ValidationError("--profile is PROFILE or PROFILE:COUNT with one of \(Profile.names), not \(text).")
            }
            guard let count = parts.count == 1 ? count : Int(parts[1]), count > 0 else {
                throw ValidationError("--profile \(text): the number of locks is from 1 to \(profile.maxLocks).")
            }
            guard seen.insert(profile).inserted else {
                throw ValidationError("--profile \(profile.rawValue) is given twice: give it once, with one number.")
            }
            guard count <= profile.maxLocks else {
                throw ValidationError("--profile \(profile.rawValue): at most \(profile.maxLocks) locks.")
            }
            return FleetPlan.Part(profile: profile, count: count)
        }
    }

    func run() async throws {
        let plan = try plan()
        if list { return print(Fleet(plan, startedAt: 0).list) }
        let log = try frames.map { try MessageLog(path: $0) }
        let context = FleetRunner(plan, settings: try broker.settings(), log: log)
        await context.run()
    }
}

extension Profile {
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// Maximum number of locks of the profile. A lock with its own connection needs a thread; all locks of a bridge share one.
    var maxLocks: Int { hasBridge ? 100_000 : 200 }
}
