import ArgumentParser
import DoorwardClient

/// `doorward clock`: shows and accepts the gateway's clock.
struct ClockGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Show whether the gateway trusts its clock, and accept its time.",
        discussion: """
            Guest accesses depend on the time, so the gateway denies them while it does not trust its clock: after the clock was \
            set back, or forward by more than clock.maxStepSeconds. Roles and locking are not affected. Only super admins may use these \
            commands.
            """,
        subcommands: [ClockStatusCommand.self, ClockAccept.self])
}

/// `doorward clock status`: shows whether the gateway trusts its clock.
struct ClockStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the gateway trusts its clock, and if not, why.",
        discussion: "Example: doorward clock status")

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let answer = try await output.client().clock()
        output.print(json: answer.json) { answer.content.lines($0) }
    }
}

/// `doorward clock accept`: confirms that the gateway's clock is right.
struct ClockAccept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Confirm that the gateway's clock shows the right time.",
        discussion: """
            First check the time that `doorward clock status` prints: from then on, guest accesses are decided by this time. The \
            acceptance is recorded with your name. A clock that was set back cannot be accepted: correct it, and it is trusted again. Use \
            --lower-mark if the latest trusted time was wrong.

            Example: doorward clock accept
            """)

    @Flag(name: .customLong("lower-mark"), help: "Accept a time before the latest trusted time, which is then lowered.")
    var lowerMark = false

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let answer = try await output.client().acceptClock(loweringMark: lowerMark)
        output.print(json: answer.json) { answer.content.lines($0) }
    }
}

extension Doorward.ClockState {
    /// Why the gateway does not trust its clock, and what to do, by the code of the reason.
    private static let explanations = [
        "below_mark": (
            reason: "the clock is before the latest trusted time",
            advice: "Guest accesses are denied. Set the clock of the gateway's machine right, for example by NTP."
        ),
        "stepped_forward": (
            reason: "the clock was set forward, and the step is not confirmed",
            advice: "Guest accesses are denied. If the time above is right, confirm it with: doorward clock accept"
        ),
        "agreeing": (
            reason: "the clock is right again, but not yet for 60 seconds", advice: "Guest accesses are denied until then."
        ),
    ]

    /// Returns one line with a name and a value for each fact; on a terminal also what to do next.
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        let explanation = reason.flatMap { Self.explanations[$0] }
        var facts = [
            ("clock", isTrusted ? "trusted" : "not trusted"), ("time", style.instant(at)),
            ("latest trusted time", style.instant(mark)),
            ("system clock", isSynchronised ? "synchronised" : "not synchronised"),
        ]
        if let reason { facts.insert(("because", explanation?.reason ?? DisplayText.word(reason)), at: 1) }
        if let step = lastStep {
            let size = Double(step.stepMs) / 1000
            facts.append(
                ("last step", "\(size > 0 ? "+" : "")\(size) s, \(style.instant(step.before)) to \(style.instant(step.after))"))
        }
        guard style.isInteractive else { return facts.map { "\($0)\t\($1)" } }
        let colour: OutputStyle.Colour = isTrusted ? .green : .red
        let rows = facts.map { name, value in [Table.Cell(name), Table.Cell(value, name == "clock" ? colour : nil)] }
        let table = Table("CLOCK", "", rows: rows).lines(style, withHeadings: false)
        return table + (explanation.map { ["", $0.advice] } ?? [])
    }
}
