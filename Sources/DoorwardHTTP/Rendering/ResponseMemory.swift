internal import DoorwardControl
internal import DoorwardDomain
internal import Synchronization

/// Limits the memory of response bodies that clients have not read yet, so that slow readers of large pages cannot exhaust it. A
/// small body is not counted: the number of connections limits those.
final class ResponseMemory: Sendable {
    /// Bytes that are passed to a connection at once. A body of up to this size is not counted.
    static let chunkBytes = 64 * 1024
    /// Maximum bytes of all counted bodies.
    static let maxBytes = 128 * 1024 * 1024
    /// Maximum bytes of the counted bodies of one principal.
    static let maxBytesOfOne = 32 * 1024 * 1024

    private struct State {
        var total = 0
        var ofPrincipal: [Principal?: Int] = [:]
    }

    private let state = Mutex(State())

    /// Bytes that are currently reserved.
    var reserved: Int { state.withLock { $0.total } }

    /// The same response, with its memory reserved if it is large.
    ///
    /// - Parameter principal: the principal of the request; all unauthenticated requests share one limit.
    /// - Throws: `.unavailable` if the limit is exceeded.
    func admit(_ answer: APIResponse, for principal: Principal?) throws(GatewayError) -> APIResponse {
        guard answer.body.count > Self.chunkBytes else { return answer }
        guard let reservation = reserve(answer.body.count, for: principal) else { throw .unavailable }
        var answer = answer
        answer.reservation = reservation
        return answer
    }

    private func reserve(_ bytes: Int, for principal: Principal?) -> Reservation? {
        let fits = state.withLock { state in
            let ofPrincipal = state.ofPrincipal[principal, default: 0] + bytes
            guard state.total + bytes <= Self.maxBytes, ofPrincipal <= Self.maxBytesOfOne else { return false }
            state.total += bytes
            state.ofPrincipal[principal] = ofPrincipal
            return true
        }
        return fits ? Reservation(memory: self, bytes: bytes, principal: principal) : nil
    }

    private func release(_ bytes: Int, of principal: Principal?) {
        state.withLock { state in
            state.total -= bytes
            let rest = state.ofPrincipal[principal, default: 0] - bytes
            state.ofPrincipal[principal] = rest > 0 ? rest : nil
        }
    }

    /// Releases its memory when it is deallocated: after the body was sent, or the connection was closed.
    final class Reservation: Sendable {
        private let memory: ResponseMemory
        private let bytes: Int
        private let principal: Principal?

        fileprivate init(memory: ResponseMemory, bytes: Int, principal: Principal?) {
            (self.memory, self.bytes, self.principal) = (memory, bytes, principal)
        }

        deinit { memory.release(bytes, of: principal) }
    }
}
