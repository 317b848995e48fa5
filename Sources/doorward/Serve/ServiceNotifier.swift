import DoorwardDomain
import Glibc
import ServiceLifecycle

/// Tells the service manager that the gateway is ready, alive, or stopping. Without a manager that asks for it, it does nothing.
struct ServiceNotifier: Service {
    private let send: @Sendable (String) -> Void
    /// The time between two signs of life, half of what the manager waits for; `nil` if it waits for none.
    private let interval: Duration?
    private let clock: any GatewayClock

    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` (sd_watchdog_enabled(3)).
    ///   - process: the id of this process; a watchdog that is meant for another one is ignored.
    ///   - send: sends a state; by default on the socket of the environment.
    init(
        environment: [String: String], process: Int32 = getpid(), clock: any GatewayClock,
        send: (@Sendable (String) -> Void)? = nil
    ) {
        let socket = environment["NOTIFY_SOCKET"].flatMap { NotifySocket($0) }
        self.send = send ?? { socket?.send($0) }
        self.clock = clock
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        interval = environment["WATCHDOG_USEC"].flatMap { isMeant ? Int64($0) : nil }.flatMap {
            $0 > 1 ? .microseconds($0 / 2) : nil
        }
    }

    /// To be called when connections are accepted.
    func ready() { send("READY=1") }

    /// Sends signs of life until the service group is stopped. They come from a task on Swift's pool, as most work of the gateway does,
    /// so they end if the pool is blocked.
    func run() async {
        await cancelWhenGracefulShutdown {
            while true {
                if interval != nil { send("WATCHDOG=1") }
                // Without a watchdog, this only waits for the stop.
                let next = clock.monotonicNow().advanced(by: interval ?? .seconds(86_400))
                guard (try? await clock.sleep(until: next)) != nil else { return }
            }
        }
        send("STOPPING=1")
    }
}
