/** Of a file whose text the analysis goes by, in bytes; 1 MiB. */
export const MAX_TEXT_BYTES = 1024 * 1024;
/** Of the names below a directory. A project with the packages of Node.js has some 24,000. */
export const MAX_NAMES = 100_000;
