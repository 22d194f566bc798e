/** Something about a file, in one sentence that names it: exit code 1. */
export class FileError extends Error {}
