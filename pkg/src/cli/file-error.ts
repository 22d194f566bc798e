/** A failure other than wrong arguments, usually about a file that its message names; exit code 1. */
export class FileError extends Error {}
