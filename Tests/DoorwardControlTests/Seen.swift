import Synchronization

/// Something that a callback saw, for the test to look at afterwards.
final class Seen<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)

    var value: Value? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
