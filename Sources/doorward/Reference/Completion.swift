import ArgumentParser
import DoorwardAPI
import DoorwardClient

extension CompletionKind {
    /// The names of the locks that whoever is signed in may see, from the gateway; none where it does not answer at once.
    static var lockName: CompletionKind {
        .custom { _, _, _ in
            await Completion.words { try await ClientAccess().client().devices.list().all().content.map(\.name) }
        }
    }

    /// The words that a configuration key takes.
    static var logLevel: CompletionKind { .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]) }
}

/// Words for somebody who presses Tab, and waits.
enum Completion {
    private static let patience = Duration.seconds(2)

    /// - Returns: what the body finds; nothing after a failure, or where it takes too long.
    static func words(_ body: @escaping @Sendable () async throws -> [String]) async -> [String] {
        await withTaskGroup(of: [String].self) { group in
            group.addTask { (try? await body()) ?? [] }
            group.addTask {
                try? await Task.sleep(for: patience)
                return []
            }
            defer { group.cancelAll() }
            return await group.next() ?? []
        }
    }
}
