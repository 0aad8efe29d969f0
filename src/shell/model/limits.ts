/**
 * What one analysis may cost. A text beyond a limit is undecidable, never read in part: a cap on the
 * number of sub-commands that stops checking has been a way round other gates.
 */
export const LIMITS = {
  /** 16 KiB: the worst text of that size that was found costs the parser a quarter of a second. */
  maxCharacters: 16_384,
  /** Syntax nodes that are visited, over all nested scripts and repeated loop bodies. */
  maxNodes: 20_000,
  /** Compound commands, substitutions and nested scripts inside each other. */
  maxDepth: 32,
  /** Open parentheses, counted before parsing: what the parser itself takes long over. */
  maxOpenParentheses: 64,
  /** Passes until the assumptions about variables, functions and directories hold. */
  maxPasses: 8,
  /** Process substitutions that leave enough descriptors, whatever else is open. */
  maxPipes: 16,
  /** Words that one brace expansion may become. */
  maxBraceWords: 64,
  /** The value of a variable that is followed: one that doubles itself line by line would fill the memory. */
  maxValueCharacters: 1024,
  /** Positional parameters that are followed. */
  maxParameters: 64,
  /** Patterns of one command that may be left out: each more makes twice as many commands. */
  maxOmissions: 6,
  /** Times that the body of a loop over known words is read, nested loops multiplied. */
  maxLoopBodies: 16,
  /** Directories that a command may stand in before its directory counts as unknown. */
  maxDirectories: 4,
  /** The path of a directory that is followed, as Linux takes one: `git -C a -C a …` would make ever longer ones. */
  maxDirectoryCharacters: 4096,
} as const;
