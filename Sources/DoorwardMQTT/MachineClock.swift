internal import DoorwardDomain
internal import Glibc

/// The system's clocks, for programs without their own clock.
struct MachineClock: GatewayClock {
    func now() -> Timestamp { Timestamp(milliseconds: Self.read(CLOCK_REALTIME) / 1_000_000) }

    func monotonicNow() -> MonotonicInstant { MonotonicInstant(nanoseconds: Self.read(CLOCK_MONOTONIC)) }

    func sleep(until instant: MonotonicInstant) async throws {
        try await Task.sleep(for: max(.zero, instant.duration(since: monotonicNow())))
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
