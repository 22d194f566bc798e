/** An error about a file, with exit code 1. Its message is one sentence that names the file. */
export class FileError extends Error {}
