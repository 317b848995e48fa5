import ArgumentParser
import DoorwardAPI
import DoorwardClient

/// `doorward clock`: shows and accepts the gateway's clock.
struct ClockGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Show whether the gateway trusts its clock, and accept its time.",
        discussion: """
            Guest accesses depend on the time, so the gateway denies them while it does not trust its clock: after the clock was \
            set back, or forward by more than clock.maxStepSeconds. Roles and locking work on. Only super admins may use these \
            commands.
            """,
        subcommands: [ClockStatusCommand.self, ClockAccept.self])
}

/// `doorward clock status`: shows whether the gateway trusts its clock.
struct ClockStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the gateway trusts its clock, and why not.",
        discussion: "Example: doorward clock status")

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let answer = try await gateway.client().clock.status()
        output.print(json: answer.json) { ClockView(answer.content.clock).lines($0) }
    }
}

/// `doorward clock accept`: confirms that the gateway's clock is right.
struct ClockAccept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Confirm that the gateway's clock shows the right time.",
        discussion: """
            Look at the time that `doorward clock status` prints first: guest accesses are allowed by this time from then on. The \
            acceptance is recorded with your name. A clock that was set back is not accepted, but trusted again when it is set \
            right; --lower-mark is for the case that the latest trusted time was wrong.

            Example: doorward clock accept
            """)

    @Flag(name: .customLong("lower-mark"), help: "Accept a time before the latest trusted time, which is then lowered.")
    var lowerMark = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let answer = try await gateway.client().clock.accept(loweringMark: lowerMark)
        output.print(json: answer.json) { ClockView(answer.content.clock).lines($0) }
    }
}
