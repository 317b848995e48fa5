import ServiceLifecycle
import UnixSignals

/// The signals that end a program which runs services: the first one stops the service group in order.
///
/// They are caught from the creation of this object, so that a signal before the start of the services counts, too.
struct StopSignals: Service {
    private let signals: UnixSignalsSequence

    init(_ signals: UnixSignal...) async { self.signals = await UnixSignalsSequence(trapping: signals) }

    /// Returns after the first signal, even if it was received before this call, or when the service group is stopped.
    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in signals { return }
        }
    }
}
