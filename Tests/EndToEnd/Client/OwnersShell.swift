import Testing

/// Starts a gateway with a house, and signs its owner in at a command line.
func ownersShell() async throws -> (gateway: RunningGateway, house: House, shell: Shell) {
    let gateway = try await RunningGateway.first(in: TemporaryFolder())
    let house = try await House.build(on: gateway)
    return (gateway, house, try await Shell.signedIn("owner@doors.example", on: gateway))
}
