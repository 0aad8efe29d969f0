const UNREAD_MS = 2_000;

/** A client that lives on and reads nothing would keep the process for as long as it lives: what it was told is lost a while after all else is over. */
export function leaveUnread(output: NodeJS.WriteStream): void {
  if (output.writableLength > 0) setTimeout(() => process.exit(), UNREAD_MS).unref();
}
