/** The longest text of a file that the analysis goes by, in bytes: 1 MiB. */
export const MAX_TEXT_BYTES = 1024 * 1024;
/** The most names below a directory that the analysis goes by. A project with the packages of Node.js has some 24,000. */
export const MAX_NAMES = 100_000;
