package import DoorwardDomain

/// The services that all use cases of a gateway share.
package struct Kernel: Sendable {
    /// The current tenancy.
    package let directory: CurrentDirectory
    /// Writes to the store, and reads from it.
    package let storeGuard: StoreGuard
    /// Changes the tenancy.
    package let writer: TenancyWriter
    /// The clock of all use cases.
    package let clock: TrustedClock
    /// The source of ids, keys and tokens.
    package let random: RandomSource

    package init(
        directory: CurrentDirectory, storeGuard: StoreGuard, writer: TenancyWriter, clock: TrustedClock, random: RandomSource
    ) {
        (self.directory, self.storeGuard, self.writer) = (directory, storeGuard, writer)
        (self.clock, self.random) = (clock, random)
    }
}
