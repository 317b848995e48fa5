// Nearly every test uses the virtual clock. With this export, tests need not import the module that contains the clock.
// DoorwardAdapterTesting is a separate module only because adapters outside this repository are tested with it.
@_exported public import DoorwardAdapterTesting
