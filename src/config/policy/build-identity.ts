/** Which program this is, as a digest of all of it: what it kept of an earlier start is used by itself alone. Null: it runs from its sources, and keeps nothing. The bundle has another text here. */
export const BUILD: string | null = null;
