package diag

// NoDriver is the code of a source that no reader in this build of the program reads.
const NoDriver Code = "V0570"
