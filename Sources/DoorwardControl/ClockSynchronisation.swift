internal import CTimex
package import DoorwardDomain

/// What the operating system reports on the synchronisation of its clock.
package protocol ClockSynchronisation: Sendable {
    /// The operating system's time, if it reports that its clock is synchronised; otherwise `nil`. The report is about the clock
    /// that shows this time, so it counts only if the gateway reads the same time.
    func synchronisedTime() -> Timestamp?
}

/// Never reports synchronisation.
package struct NoSynchronisation: ClockSynchronisation {
    package init() {}

    /// Always `nil`.
    package func synchronisedTime() -> Timestamp? { nil }
}

/// The report of the Linux kernel: a time daemon such as chrony, ntpd or systemd-timesyncd sets it while it is synchronised, and
/// setting the clock by hand clears it. Adjusts nothing, so it needs no privilege.
package struct KernelSynchronisation: ClockSynchronisation {
    package init() {}

    /// See adjtimex(2): `STA_UNSYNC` is clear, and the state is not `TIME_ERROR`.
    package func synchronisedTime() -> Timestamp? {
        var report = timex()
        let state = adjtimex(&report)
        guard state >= 0, state != TIME_ERROR, report.status & STA_UNSYNC == 0 else { return nil }
        let fraction = Int64(report.time.tv_usec) / (report.status & STA_NANO == 0 ? 1000 : 1_000_000)
        return Timestamp(milliseconds: Int64(report.time.tv_sec) * 1000 + fraction)
    }
}
