internal import DoorwardDomain
internal import DoorwardKernel

/// A group of use cases, with the services of the kernel that they share.
protocol UseCases {
    var kernel: Kernel { get }
}

extension UseCases {
    var directory: CurrentDirectory { kernel.directory }
    var storeGuard: StoreGuard { kernel.storeGuard }
    var writer: TenancyWriter { kernel.writer }
    var clock: TrustedClock { kernel.clock }
    var random: RandomSource { kernel.random }
}
