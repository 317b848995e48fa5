// Nearly every test uses the virtual clock. This export saves the tests an import of the module that contains it.
// DoorwardAdapterTesting is a separate module only because adapters outside this repository are tested with it.
@_exported public import DoorwardAdapterTesting
