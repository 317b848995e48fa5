import ServiceLifecycle
import UnixSignals

/// The signals that end a program which runs services: the first of them ends the group in order.
///
/// They are caught from the moment this is made, so that one that comes before the services run counts too.
struct StopSignals: Service {
    private let signals: UnixSignalsSequence

    init(_ signals: UnixSignal...) async { self.signals = await UnixSignalsSequence(trapping: signals) }

    /// Ends with the first signal, also one that came before, and with the group.
    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in signals { return }
        }
    }
}
