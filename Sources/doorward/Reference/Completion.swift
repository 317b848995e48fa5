import ArgumentParser
import DoorwardAPI
import DoorwardClient

extension CompletionKind {
    /// The names of the locks that whoever is signed in may see, from the gateway; none where it does not answer at once, or the
    /// session would have to be renewed for it.
    static var lockName: CompletionKind {
        .custom { words, _, _ in
            await Completion.names {
                let access = ClientAccess(words: words)
                return try await access.client(isRenewing: false).devices.list().all().content.map(\.name)
            }
        }
    }

    /// The names of the sign-ins on this machine.
    static var signInName: CompletionKind {
        .custom { _, _, _ in await Completion.names { try ClientAccess().sessions().names().map(\.description) } }
    }

    /// The words that a configuration key takes.
    static var logLevel: CompletionKind { .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]) }
}

/// Words for somebody who presses Tab, and waits.
enum Completion {
    private static let patience = Duration.seconds(2)

    /// - Returns: the names that the body finds, as the shell that asks takes them; none after a failure, or where it takes
    ///   too long.
    static func names(_ body: @escaping @Sendable () async throws -> [String]) async -> [String] {
        let names = await withTaskGroup(of: [String].self) { group in
            group.addTask { (try? await body()) ?? [] }
            group.addTask {
                try? await Task.sleep(for: patience)
                return []
            }
            defer { group.cancelAll() }
            return await group.next() ?? []
        }
        return names.compactMap { escaped($0, for: CompletionShell.requesting) }
    }

    /// A name as the shell's script takes it; `nil` for one that somebody has to type.
    ///
    /// Names come from other people. In bash, `compgen -W` expands what it is given, so that a name with `$(…)` in it would be
    /// run; and no shell quotes every sign when it puts a name into the command line. So only names of signs that mean
    /// nothing to a shell, or that all of them quote, are offered at all.
    static func escaped(_ name: String, for shell: CompletionShell?) -> String? {
        guard !name.isEmpty, !name.hasPrefix("-"), name.allSatisfy({ $0.isWord || harmless.contains($0) }) else { return nil }
        guard shell == .bash else { return name }
        return name.reduce(into: "") { $0 += $1.isWord ? String($1) : "\\\($1)" }
    }

    private static let harmless = Set(" -_.,+@#%'/")
}

extension Character {
    fileprivate var isWord: Bool { isLetter || isNumber }
}
