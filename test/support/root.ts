/** Whether tests that need root run: as root, and where nothing may be skipped (they fail then, and say why). */
export const runsRootTests = process.getuid?.() === 0 || process.env["REQUIRE_DOCKER"] === "1";
