import AdapterSimulator
import DoorwardClient
import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import ServiceLifecycle

/// Plays the demo's plan and shows the screen while the gateway runs. `run` ends when the service is stopped, or when the user
/// closes the screen.
struct DemoService: Service {
    let script: DemoScript
    let password: Secret<String>
    let links: DemoSignInLinks
    let folder: DemoFolder
    /// Yields the gateway's address when it has started listening.
    let addresses: AsyncStream<String>

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await liveAndWatch() }
            await signOut()
        } catch {
            await signOut()
            // An error caused by stopping is not a failure.
            guard Task.isShuttingDownGracefully else { throw error }
        }
    }

    private func liveAndWatch() async throws {
        guard let address = await addresses.first(where: { _ in true }) else { return }
        let watch = DemoScreen(
            client: try await signIn(at: address),
            invitation: DemoSignIns(
                house: script.plan.house, address: address, password: password, program: DemoSignIns.programAsTyped,
                link: { [links] in links.address(for: $0, at: address) }),
            clock: script.control.clock,
            time: HouseTime(
                beganAt: script.control.clock.now(), speed: script.speed, start: script.plan.start,
                firstWeekday: script.plan.scenario.firstWeekday))
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await script.run()
                return false
            }
            group.addTask {
                await watch.run()
                return true
            }
            defer { group.cancelAll() }
            // After the last event of a scenario the screen stays open: the demo ends when the user closes it.
            while let hasGone = try await group.next(), !hasGone {}
        }
    }

    /// Signs in as the owner. The session is renewed like any other, so it lasts as long as the demo.
    private func signIn(at address: String) async throws -> DoorwardClient {
        let stranger = try DoorwardClient(server: address, credentials: .none)
        let signedIn = try await stranger.authentication.signIn(email: DemoHouse.owner.email, password: password.reveal())
        try folder.session.write(signedIn.session)
        return try DoorwardClient(server: address, credentials: .session(folder.session))
    }

    /// Ends the owner's session, so that it cannot be used from a demo folder that is kept. If the gateway has already stopped,
    /// only the file with the session's tokens is deleted.
    private func signOut() async {
        if let server = try? folder.session.read()?.server {
            try? await DoorwardClient(server: server, credentials: .session(folder.session)).authentication.signOut()
        }
        folder.removeSession()
    }
}
