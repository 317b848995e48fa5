import Testing

/// A gateway with a house, and its owner at a command line.
func ownersShell() async throws -> (gateway: RunningGateway, house: House, shell: Shell) {
    let gateway = try await RunningGateway.first(in: TemporaryFolder())
    let house = try await House.build(on: gateway)
    return (gateway, house, try await Shell.signedIn("owner@doors.example", on: gateway))
}
