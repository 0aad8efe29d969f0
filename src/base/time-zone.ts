/** Whether a name is one of the IANA database, such as `Europe/Berlin` or `UTC`. An offset such as `+01:00` is none: it knows no summer time. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "" && !/^[+-]/u.test(name);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
