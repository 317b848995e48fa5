import Foundation
import Synchronization

/// The output of a program on a terminal, and the tasks that wait for more of it.
final class Transcript: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// The number of bytes that were already read.
        var taken = 0
        var isFinished = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// All output since the start.
    var all: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    func append(_ bytes: [UInt8]) {
        wake { $0.bytes += bytes }
    }

    /// Marks the end of the output.
    func finish() {
        wake { $0.isFinished = true }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for a match in the unread output, and returns the output up to the end of the match;
    /// `nil` if the program ends without a match.
    func take(until end: @Sendable (String) -> String.Index?) async -> String? {
        while true {
            let (result, seen, isFinished) = state.withLock { state in
                (Self.take(from: &state, until: end), state.bytes.count, state.isFinished)
            }
            if let result { return result }
            guard !isFinished else { return nil }
            await more(than: seen)
        }
    }

    /// Waits until the program has ended, and returns the unread output.
    func rest() async -> String {
        while true {
            let (seen, isFinished) = state.withLock { ($0.bytes.count, $0.isFinished) }
            if isFinished { break }
            await more(than: seen)
        }
        return state.withLock { state in
            defer { state.taken = state.bytes.count }
            return String(decoding: state.bytes[state.taken...], as: UTF8.self)
        }
    }

    private static func take(from state: inout State, until end: (String) -> String.Index?) -> String? {
        let text = String(decoding: state.bytes[state.taken...], as: UTF8.self)
        guard let index = end(text) else { return nil }
        let taken = String(text[..<index])
        state.taken += taken.utf8.count
        return taken
    }

    private func more(than count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.bytes.count == count, !state.isFinished else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
