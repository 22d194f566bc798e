/** An error about a file, as one sentence that names it: exit code 1. */
export class FileError extends Error {}
