internal import DoorwardControl
package import DoorwardDomain
import Synchronization

/// The checkpoint file and the key file of a gateway, in memory. Tests change the content, and make calls fail.
package final class InMemoryCheckpoints: CheckpointStorage, CheckpointKeyStorage {
    /// The error of a call that a test has made fail.
    package struct Failure: Error {}

    private struct State {
        var content: [UInt8]? = []
        var key: Secret<[UInt8]>
        var staged: Secret<[UInt8]>?
        /// The number of bytes that the next `append` writes before it fails.
        var bytesBeforeFailure: Int?
        var failsToReplace = false
        /// Every line that was ever written, in order.
        var written: [UInt8] = []
    }

    private let state: Mutex<State>

    /// - Parameter seed: each byte of the first key.
    package init(seed: UInt8 = 7) { state = Mutex(State(key: Secret([UInt8](repeating: seed, count: 32)))) }

    /// A name that no file has.
    package var path: String { "memory.checkpoints" }

    /// The content; `nil` for a missing file.
    package var content: [UInt8]? {
        get { state.withLock { $0.content } }
        set { state.withLock { $0.content = newValue } }
    }

    /// All lines that were appended since the beginning, even those that were compacted away.
    package var written: [UInt8] { state.withLock { $0.written } }
    /// The key in force.
    package var key: Secret<[UInt8]> { state.withLock { $0.key } }
    /// A new key that is not in force yet.
    package var staged: Secret<[UInt8]>? { state.withLock { $0.staged } }

    /// Makes the next `append` write only the first bytes, and then fail, as on a full disk.
    package func failNextAppend(after bytes: Int) { state.withLock { $0.bytesBeforeFailure = bytes } }

    /// Makes every `replace` fail, or no more.
    package func failReplacing(_ fails: Bool) { state.withLock { $0.failsToReplace = fails } }

    /// Returns the content.
    package func read() async throws -> [UInt8]? { content }

    /// Appends to the content, or fails as a test has requested.
    package func append(_ lines: [UInt8]) async throws {
        try state.withLock { state in
            guard let content = state.content else { throw Failure() }
            if let count = state.bytesBeforeFailure {
                state.bytesBeforeFailure = nil
                state.content = content + lines.prefix(count)
                throw Failure()
            }
            state.content = content + lines
            state.written += lines
        }
    }

    /// Replaces the content, or fails as a test has requested.
    package func replace(by lines: [UInt8]) async throws {
        try state.withLock { state in
            if state.failsToReplace { throw Failure() }
            state.content = lines
            state.written += lines
        }
    }

    /// Keeps the new key.
    package func stage(_ seed: Secret<[UInt8]>) async throws { state.withLock { $0.staged = seed } }

    /// Replaces the key.
    package func activateStaged() async throws {
        try state.withLock { state in
            guard let staged = state.staged else { throw Failure() }
            (state.key, state.staged) = (staged, nil)
        }
    }
}
