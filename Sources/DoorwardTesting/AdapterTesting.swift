// Nearly every test uses the virtual clock. With this export, tests need not import DoorwardAdapterTesting, which contains the
// clock. That module is separate only because it also serves tests of adapters outside this repository.
@_exported public import DoorwardAdapterTesting
