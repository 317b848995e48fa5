import ArgumentParser
import DoorwardClient
import DoorwardDomain

extension CompletionKind {
    /// Completes the names of the visible locks, as the gateway returns them. Completes nothing if the gateway does not respond
    /// at once, or if the session has to be renewed first.
    static var lockName: CompletionKind { visible { try await $0.devices.list().all().content.map(\.name) } }

    /// Completes the names of the visible portfolios; see `lockName`.
    static var portfolioName: CompletionKind { visible { try await $0.portfolios.list().all().content.map(\.name) } }

    /// Completes the names of the visible properties; see `lockName`.
    static var propertyName: CompletionKind { visible { try await $0.properties.list().all().content.map(\.name) } }

    /// Completes the names of the visible units; see `lockName`.
    static var unitName: CompletionKind { visible { try await $0.units.list().all().content.map(\.name) } }

    /// Completes the names of the visible portfolios, properties and units; see `lockName`.
    static var entityName: CompletionKind {
        visible { client in try await Array(NameResolver(client).names(of: AssociatedEntityType.allCases).values) }
    }

    /// Completes the email addresses of the people that the user may list; see `lockName`.
    static var userName: CompletionKind { visible { try await $0.users.list().all().content.compactMap(\.email) } }

    private static func visible(_ names: @escaping @Sendable (DoorwardClient) async throws -> [String]) -> CompletionKind {
        .custom { words, _, _ in
            await Completion.names { try await names(ClientAccess(words: words).client(isRenewing: false)) }
        }
    }

    /// Completes the names of the sign-ins on this machine.
    static var signInName: CompletionKind {
        .custom { _, _, _ in await Completion.names { try ClientAccess().sessions().names().map(\.description) } }
    }

    /// Completes the log levels.
    static var logLevel: CompletionKind { .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]) }
}

/// Finds completions within a time limit, because the user waits for them.
enum Completion {
    private static let timeout = Duration.seconds(2)

    /// - Returns: the names that the body finds, escaped for the shell; none if it fails or takes too long.
    static func names(_ body: @escaping @Sendable () async throws -> [String]) async -> [String] {
        let names = await withTaskGroup(of: [String].self) { group in
            group.addTask { (try? await body()) ?? [] }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return []
            }
            defer { group.cancelAll() }
            return await group.next() ?? []
        }
        return names.compactMap { escaped($0, for: CompletionShell.requesting) }
    }

    /// Escapes a name for the shell's completion script; `nil` for a name that cannot be offered.
    ///
    /// Names come from other people. In bash, `compgen -W` expands its argument, so a name with `$(…)` would be executed; and no
    /// shell quotes every character when it inserts a name into the command line. A name is offered only if each of its
    /// characters either has no meaning for a shell or is quoted by all shells.
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
