package memory

// maxrssPerMiB is how many of getrusage's units make a MiB: kilobytes.
const maxrssPerMiB = 1 << 10
