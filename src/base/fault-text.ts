const MAX_CHARACTERS = 2000;

/** What something that foreign code threw says of itself. It may be no error, and throw when it is looked at. */
export function faultText(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : undefined;
    return typeof message === "string" ? message.slice(0, MAX_CHARACTERS) : "unknown fault";
  } catch (error) {
    void error;
    return "unknown fault";
  }
}
